package import RelayHTTP

/// Runs `SimulatedBeeminder` on a loop, with a socket.
package actor Simulator {
    /// A delayed answer.
    private struct Delayed {
        let due: Instant
        let answer: Answer
    }

    private let loop: Loop
    private let clock: @Sendable () -> Double
    private let onDatapoint: @Sendable (PostedDatapoint) -> Void
    private let onCallback: @Sendable (SimulatedCallback) -> Void

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe loop.asUnownedSerialExecutor()
    }

    /// The current accounts, goals, datapoints and faults.
    private(set) var world: SimulatedBeeminder
    private var server: Server?
    private var delayed: [Delayed] = []

    /// A simulator that does not listen yet.
    ///
    /// - Parameters:
    ///   - clock: the wall clock, in seconds since 1970.
    ///   - onDatapoint: called on the loop for every datapoint that was created or updated.
    ///   - onCallback: called on the loop for every POST that Beeminder would send to an app's
    ///     server.
    package init(
        on loop: Loop, world: SimulatedBeeminder,
        clock: @escaping @Sendable () -> Double = { Double(Instant.wallNanoseconds) / 1e9 },
        onDatapoint: @escaping @Sendable (PostedDatapoint) -> Void = { _ in },
        onCallback: @escaping @Sendable (SimulatedCallback) -> Void = { _ in }
    ) {
        self.loop = loop
        self.world = world
        self.clock = clock
        self.onDatapoint = onDatapoint
        self.onCallback = onCallback
    }

    /// Starts to listen. Must be called on the loop, or before it runs.
    ///
    /// - Returns: the address, with the port that the system chose for port 0.
    /// - Throws: `ListenError`.
    package nonisolated func listen(on endpoint: Endpoint) throws(ListenError) -> Endpoint {
        var limits = Limits()
        limits.bodyBytes = 4 << 20  // A backlog sent by `create_all` may be long.
        let server = Server(
            on: loop, limits: limits,
            Application { exchanges in self.assumeIsolated { $0.respond(exchanges) } })
        let bound = server.listen(on: try OpenPort(endpoint))
        loop.post { self.assumeIsolated { $0.server = server } }
        loop.add(self)
        return bound
    }

    /// The goal's datapoints in order of arrival, without the initial one.
    func datapoints(of slug: String) -> [SimulatedDatapoint] {
        world.datapoints(of: slug)
    }

    /// Changes the state, as on the web, or the faults.
    func change<Result: Sendable>(
        _ body: @Sendable (inout SimulatedBeeminder) -> Result
    ) -> Result {
        body(&world)
    }

    /// Stops accepting connections; calls `done` when the last one has closed.
    package func drain(done: @escaping @Sendable () -> Void) {
        guard let server else { return done() }
        server.assumeIsolated { $0.drain(done: done) }
    }

    private func respond(_ exchanges: [Exchange]) -> [Answer] {
        let now = clock()
        var answers: [Answer] = []
        for exchange in exchanges {
            let action = world.respond(to: SimulatedCall(exchange.request), at: now)
            action.posted.forEach(onDatapoint)
            action.callbacks.forEach(onCallback)
            let answer = Simulator.answer(to: exchange.id, action)
            if action.delaySeconds > 0 {
                delay(answer, seconds: action.delaySeconds)
            } else {
                answers.append(answer)
            }
        }
        return answers
    }

    private static func answer(to id: ExchangeID, _ action: SimulatedAction) -> Answer {
        switch action.ending {
        case .whole: Answer(to: id, action.response)
        case .cutShort(let bytes): Answer(to: id, .brokenOff(action.response.cut(behind: bytes)))
        case .hangUp: Answer(to: id, .hangUp)
        }
    }

    private func delay(_ answer: Answer, seconds: Double) {
        delayed.append(Delayed(due: Instant.now.advanced(bySeconds: seconds), answer: answer))
        loop.post {}  // Makes the loop read the next deadline again.
    }

    private func release(_ now: Instant) -> Instant? {
        guard !delayed.isEmpty else { return nil }
        let due = delayed.filter { $0.due <= now }
        if !due.isEmpty {
            delayed.removeAll { $0.due <= now }
            server?.assumeIsolated { $0.send(due.map(\.answer)) }
        }
        return delayed.map(\.due).min()
    }
}

extension Simulator: LoopSource {
    package nonisolated func turn(_ ready: [Ready], now: Instant) -> Instant? {
        assumeIsolated { $0.release(now) }
    }
}
