/// An HTTP server on a loop: reads sockets, hands out exchanges, writes answers.
///
/// Each turn reads the ready sockets, hands all complete requests to the application at once and
/// writes the answers, one write per connection. Pipelined requests come after those, as many as
/// the turn's time allows.
package actor Server {
    let loop: Loop
    let application: Application
    let limits: Limits

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe loop.asUnownedSerialExecutor()
    }

    private var sourceNumber: UInt64 = 0
    var port: OpenPort?
    /// When to accept again after running out of descriptors.
    private var acceptsAgainAt: Instant?
    let table = ClientSocketTable()
    private var scratch = [UInt8](repeating: 0, count: 65_536)
    /// Requests that the application has not got yet.
    private var backlog: [Exchange] = []
    var nextSweep: Instant?
    /// When a shutdown ends what clients still read.
    var drainEnd: Instant?
    private(set) var date: DateField
    /// Whether a client did not read all of a long answer when it was sent.
    var mayHoldMuchUnsent = false
    var drained: (@Sendable () -> Void)?

    /// Creates a server that does not listen yet.
    package init(on loop: Loop, limits: Limits = Limits(), _ application: Application) {
        self.loop = loop
        self.limits = limits.checked()
        date = DateField(with: application.fields)
        self.application = application
    }

    /// Starts to accept, and returns the bound address. Call it on the loop, or before that runs.
    package nonisolated func listen(on port: OpenPort) -> Endpoint {
        let sourceNumber = loop.add(self)
        loop.post {
            self.assumeIsolated { server in
                (server.sourceNumber, server.port) = (UInt64(sourceNumber), port)
                server.setAccepting(true)
            }
        }
        return port.endpoint
    }

    /// Sends answers that took longer than one turn. Call it on the loop.
    package func send(_ answers: [Answer]) {
        send(answers, .now)
        // Pipelined requests behind these answers are processed in this turn of the loop, or in
        // the next one if this turn has already processed them.
        if !backlog.isEmpty { loop.post {} }
    }

    /// Whether the connection of this exchange is still open.
    package func holds(_ id: ExchangeID) -> Bool { table[id] != nil }

    /// The number of open connections.
    package var connectionCount: Int { table.count }

    /// The maximum number of connections.
    package nonisolated var maxConnections: Int { limits.connections }

    // MARK: A turn

    private func work(_ ready: [Ready], now: Instant) -> Instant? {
        var date = date
        date.update()
        self.date = date
        var hasPendingConnections = false
        for event in ready {
            if event.token & PollToken.listenerBit == 0 {
                handle(event, now)
            } else {
                hasPendingConnections = true
            }
        }
        respond(now)
        // Accept after serving, so that eviction never drops pending answers.
        if hasPendingConnections { acceptAll(now) }
        if let again = acceptsAgainAt, again <= now {
            acceptsAgainAt = nil
            setAccepting(true)
        }
        if let sweep = nextSweep, sweep <= now { self.sweep(now) }
        if table.count == 0, let drained {
            self.drained = nil
            drained()
        }
        return backlog.isEmpty ? [nextSweep, acceptsAgainAt].compactMap(\.self).min() : now
    }

    /// Gives all answers to their connections, and then writes each connection once.
    private func send(_ answers: [Answer], _ now: Instant) {
        // A span: to read an element of an array retains and releases its parts.
        let span = answers.span
        for index in span.indices { give(span[index]) }
        for index in span.indices { flush(span[index].id, now) }
        guard mayHoldMuchUnsent else { return }
        mayHoldMuchUnsent = false
        // Clients with the longest unsent answers go until all answers fit.
        while let client = table.longestUnsent(above: limits.unsentInAll) { remove(client) }
    }

    /// Answers what has come, one request of each connection, and then the pipelined ones behind
    /// these, until the turn has lasted long enough. This bounds the delay of other clients.
    private func respond(_ now: Instant) {
        let end = now.advanced(bySeconds: limits.timeouts.turn)
        var count = backlog.count
        while !backlog.isEmpty {
            var exchanges = backlog
            backlog = Array(exchanges.dropFirst(count))
            exchanges.removeLast(backlog.count)
            send(application.respond(exchanges), now)
            guard Instant.now < end else { return }
            count = limits.pipelinedRequests
        }
    }

    private func handle(_ event: Ready, _ now: Instant) {
        guard let client = table[PollToken.client(event.token)] else { return }
        if event.canRead || event.isBroken { receive(client, isBroken: event.isBroken) }
        if event.canWrite {
            write(client)
            askForNextPart(client)
        }
        proceed(client, now)
        settle(client, now)
    }

    func receive(_ client: ClientSocket, isBroken: Bool) {
        guard client.connection.wantsInput || isBroken else { return }
        let received = Socket.read(
            client.descriptor.number, into: &scratch, atMost: client.connection.readLimit)
        switch received {
        case .bytes(let count): client.connection.received(scratch.span.extracting(..<count))
        case .end:
            client.connection.inputEnded()
            // Reset or closed in both directions: the peer can read no answer.
            if isBroken { remove(client) }
        case .later: break
        case .broken: remove(client)
        }
    }

    /// Advances the connection as far as possible without new input.
    func proceed(_ client: ClientSocket, _ now: Instant) {
        guard table.holds(client) else { return }
        while true {
            let step = client.connection.next()
            switch consume step {
            case .wait: return
            case .endWait: endWait(client)
            case .close: return remove(client)
            case .shutDown: Socket.shutDownWriting(client.descriptor.number)
            case .refuse(let error): refuse(error, client)
            case .ask(let announced): decide(on: announced, client)
            case .deliver(let request):
                return backlog.append(
                    Exchange(id: client.id, peer: client.peer, request: consume request))
            }
        }
    }

    private func refuse(_ error: ParseError, _ client: ClientSocket) {
        refuse(application.refuse(error, client.peer), client)
    }

    private func refuse(_ response: Response, _ client: ClientSocket) {
        client.connection.refuse(response, date: date.bytes)
        write(client)
    }

    /// Accepts or refuses the content, as the application decides from the head.
    private func decide(on request: Request, _ client: ClientSocket) {
        let admission =
            application.admit?(request, client.peer) ?? .body(atMost: limits.bodyBytes)
        switch admission {
        case .refuse(let response): refuse(response, client)
        case .body(let most):
            let bytes = request.declaredBytes ?? most
            guard bytes <= most else { return refuse(.bodyTooLarge, client) }
            guard table.hasRoom(forBodyBytes: bytes, limits) else {
                return refuse(.noRoom, client)
            }
            if client.connection.admit(bodyBytes: bytes) { write(client) }
        }
    }

    func give(_ answer: Answer) {
        guard let client = table[answer.id] else { return }
        switch answer.content {
        case .whole(let response): client.connection.respond(with: response, date: date.bytes)
        case .brokenOff(let bytes):
            client.connection.passOn(bytes)
            client.connection.endStream()
        case .opening(let response, let hasEnd):
            client.connection.open(response, hasEnd: hasEnd, date: date.bytes)
        case .passedOn(let bytes): client.connection.passOn(bytes)
        case .more(let bytes):
            // The bytes before may not have been tried yet: only a full socket is slow.
            write(client)
            client.connection.append(bytes)
        case .end: client.connection.endStream()
        case .abandon: client.connection.endStream(isComplete: false)
        case .hold: client.connection.hold()
        }
    }

    private func flush(_ id: ExchangeID, _ now: Instant) {
        guard let client = table[id] else { return }
        write(client)
        askForNextPart(client)
        proceed(client, now)
        settle(client, now)
    }

    /// Sends as much as the client's socket takes now.
    func write(_ client: ClientSocket) {
        while client.connection.unsentBytes > 0 {
            let sent = Socket.write(
                client.descriptor.number, client.connection.outbox,
                from: client.connection.sent)
            switch sent {
            case .bytes(let count): client.connection.didSend(count)
            case .later:
                if client.connection.unsentBytes > ClientSocketTable.longAnswer {
                    mayHoldMuchUnsent = true
                }
                return
            case .end, .broken: return client.connection.abandonOutput()
            }
        }
    }

    private func askForNextPart(_ client: ClientSocket) {
        if client.connection.wantsNextPart { application.nextPart(client.id) }
    }

    /// Updates poller interest and deadline to the connection's state.
    func settle(_ client: ClientSocket, _ now: Instant) {
        guard table.holds(client) else { return }
        let interest = Interest(
            read: client.connection.wantsInput, write: client.connection.unsentBytes > 0)
        let wait = client.connection.wait
        if interest != client.interest {
            client.interest = interest
            loop.poller.change(client.descriptor.number, token: token(of: client), interest)
        }
        client.rearm(wait, now: now)
        if let deadline = client.deadline {
            nextSweep = min(nextSweep ?? deadline, deadline)
        }
    }

    private func token(of client: ClientSocket) -> UInt64 {
        PollToken.client(client.id, of: sourceNumber)
    }

    // MARK: Accepting

    func acceptAll(_ now: Instant) {
        guard let port else { return }
        for _ in 0..<256 {  // Bounded, or many new connections could starve the others.
            if table.count >= limits.connections, !evict(now: now) {
                return pauseAccepting(now)
            }
            switch Socket.nextConnection(of: port.descriptor) {
            case .nobodyWaits: return
            case .exhausted:
                guard evict(now: now) else { return pauseAccepting(now) }
            case .connection(let descriptor, let peer):
                admit(descriptor, peer, now)
            }
            // Full: evict only when the poller reports that another connection is waiting.
            if table.count >= limits.connections { return }
        }
    }

    private func admit(_ descriptor: consuming Descriptor, _ peer: Endpoint, _ now: Instant) {
        let client = table.insert(descriptor, peer, limits: limits, now: now)
        loop.poller.add(client.descriptor.number, token: token(of: client), client.interest)
        settle(client, now)
    }

    func setAccepting(_ accepts: Bool) {
        guard let listener = port?.descriptor.number else { return }
        if accepts {
            loop.poller.add(
                listener, token: PollToken.listener(sourceNumber),
                Interest(read: true, write: false))
        } else {
            loop.poller.remove(listener)
        }
    }

    /// Without room or a free descriptor, new connections wait in the system's queue. Polling for
    /// them meanwhile would only spin.
    private func pauseAccepting(_ now: Instant) {
        setAccepting(false)
        acceptsAgainAt = now.advanced(bySeconds: 0.1)
    }

    // MARK: Deadlines

    /// Ends expired waits, at most four times a second, whatever the peers do.
    private func sweep(_ now: Instant) {
        var next = drainEnd
        if let end = drainEnd, end <= now {
            for client in table.all where !client.connection.waitsForAnswer { remove(client) }
            drainEnd = now.advanced(bySeconds: 1)  // Some may still wait for their answers.
            next = drainEnd
        }
        for client in table.all where table.holds(client) {
            guard let deadline = client.deadline else { continue }
            if deadline <= now { expire(client, now) }
            guard table.holds(client), let rest = client.deadline else { continue }
            next = min(next ?? rest, rest)
        }
        nextSweep = next.map { max($0, now.advanced(bySeconds: 0.25)) }
    }

    private func expire(_ client: ClientSocket, _ now: Instant) {
        if !client.connection.endSilence() {
            guard let error = client.connection.timedOut() else { return remove(client) }
            refuse(error, client)
        }
        proceed(client, now)
        settle(client, now)
    }
}

extension Server: LoopSource {
    package nonisolated func turn(_ ready: [Ready], now: Instant) -> Instant? {
        assumeIsolated { $0.work(ready, now: now) }
    }
}
