import BeemedDomain
package import RelayHTTP

/// A change of a settings file that was computed and is not saved yet.
struct SettingsChange {
    /// Saves the new state; called off the loop.
    let save: @Sendable (RelayStore, Log) -> Bool
    /// The state that was not saved, for the refusal, as in "the devices".
    let subject: String
    /// Puts the new state into effect once it is durable, and makes the answer.
    let apply: () -> Response
}

/// Changes of settings files, one at a time: each begins with the state that the one before has
/// saved, takes effect when durable, and is answered then. The loop never waits for them.
///
/// A removal takes effect at once, in memory, and is saved first. If saving fails, the removal
/// stays in effect until a restart: a person who revokes a token has a reason, and no press may be
/// logged with it while a disk is slow or fails. Other changes wait in turn for each token, which
/// has a share of the queue: a disk that takes 40 ms saves 25 a second.
final class SettingsChanges {
    /// A request, and how it computes its change from the present state.
    private struct Request {
        let call: Call
        /// Revokes in memory what the change revokes, and returns the digests; nil for nothing.
        let revoke: (() -> Set<String>)?
        /// The digests of those tokens, which are given back if the change is refused.
        var taken: Set<String> = []
        /// Whether the request revoked its own sender's token or sign-in.
        var isOfSender = false
        let prepare: () throws(Problem) -> SettingsChange
    }

    /// The requests that wait, in order of arrival.
    private var waiting: [Request] = []
    private var saving: (change: SettingsChange, request: Request)?
    /// The users whose changes were begun, the last one last.
    private var turns: [String] = []

    /// Requests that may wait, at most.
    static let most = 64

    func add(
        _ call: Call, revoking revoke: (() -> Set<String>)?, in relay: isolated Relay,
        _ prepare: @escaping () throws(Problem) -> SettingsChange
    ) {
        let others = waiting.lazy.map(\.call)
        guard relay.hasPlace(for: call, among: SettingsChanges.most, heldBy: others) else {
            return relay.answer(call, .failure(.tooManyChanges))
        }
        var request = Request(call: call, revoke: revoke, prepare: prepare)
        if let revoke {
            let wasGood = relay.isStillGood(call)
            request.taken = revoke()
            relay.endRevoked()
            request.isOfSender = wasGood && !relay.isStillGood(call)
        }
        waiting.append(request)
        beginNext(in: relay)
    }

    private func beginNext(in relay: isolated Relay) {
        while let request = takeNext() {
            do throws(Problem) {
                guard request.isOfSender || relay.isStillGood(request.call) else { throw .revoked }
                // The changes before it may have made them false.
                try relay.checkConditions(of: request.call)
                save(try request.prepare(), for: request, in: relay)
            } catch {
                relay.access.giveBack(request.taken)
                revokeAgain()
                relay.answer(request.call, .failure(error))
            }
        }
        if waiting.isEmpty, saving == nil { relay.access.forgetRevoked() }
    }

    /// The next request; nil while a change is being saved.
    private func takeNext() -> Request? {
        guard saving == nil, let first = waiting.indices.min(by: { rank($0) < rank($1) }) else {
            return nil
        }
        let request = waiting.remove(at: first)
        let holder = request.call.shareholder ?? ""
        turns.removeAll { $0 == holder }
        turns.append(holder)
        if turns.count > SettingsChanges.most { turns.removeFirst() }
        return request
    }

    /// The rank of a request: removals first, then the user whose turn was longest ago.
    private func rank(_ index: Int) -> Int {
        let request = waiting[index]
        guard request.revoke == nil else { return -2 }
        return turns.firstIndex(of: request.call.shareholder ?? "") ?? -1
    }

    private func save(_ change: SettingsChange, for request: Request, in relay: isolated Relay) {
        saving = (change, request)
        relay.files.save { [save = change.save, loop = relay.loop] store, log in
            let isSaved = save(store, log)
            loop.post {
                relay.assumeIsolated { relay in
                    relay.changes.end(isSaved: isSaved, in: relay)
                    relay.finishTurn()
                }
            }
        }
    }

    private func end(isSaved: Bool, in relay: isolated Relay) {
        guard let (change, request) = saving.take() else { return }
        if isSaved {
            let response = change.apply()
            revokeAgain()
            relay.answer(request.call, .success(response))
        } else {
            let isRevoked = request.revoke != nil
            relay.answer(request.call, .failure(.notSaved(change.subject, isRevoked: isRevoked)))
        }
        beginNext(in: relay)
    }

    /// Revokes once more the tokens that the waiting requests revoke: a change in between may have
    /// brought them back, or replaced them.
    private func revokeAgain() {
        for index in waiting.indices {
            if let taken = waiting[index].revoke?() { waiting[index].taken.formUnion(taken) }
        }
    }
}

extension Relay {
    /// Changes settings for a request, whose answer follows once the change is durable: after a
    /// power failure a token that was shown must be valid, and a revoked one must not.
    ///
    /// - Parameter revoke: takes away in memory what the change takes away, now and once more after
    ///   each change that was begun before.
    /// - Returns: nil, as a handler does whose answer follows later.
    @discardableResult func change(
        _ call: Call, revoking revoke: (() -> Set<String>)? = nil,
        _ prepare: @escaping () throws(Problem) -> SettingsChange
    ) -> Response? {
        changes.add(call, revoking: revoke, in: self, prepare)
        return nil
    }

    /// Changes a value that has a file of its own.
    ///
    /// - Parameters:
    ///   - edit: changes a copy, and makes the answer for when that is durable.
    ///   - apply: puts it into effect then.
    /// - Returns: nil, as a handler does whose answer follows later.
    @discardableResult package func change<Value: Encodable & Sendable>(
        _ call: Call, _ file: DataFile, _ subject: String,
        revoking revoke: (() -> Set<String>)? = nil, from present: @escaping () -> Value,
        _ edit: @escaping (inout Value) throws(Problem) -> Response,
        apply: @escaping (Value) -> Void
    ) -> Response? {
        change(call, revoking: revoke) { () throws(Problem) in
            var value = present()
            let response = try edit(&value)
            let changed = value
            return SettingsChange(
                save: { $0.save(changed, as: file, $1) }, subject: subject,
                apply: {
                    apply(changed)
                    return response
                })
        }
    }

    /// Whether the token or sign-in of a request was not taken away.
    fileprivate func isStillGood(_ call: Call) -> Bool { call.sender.map(access.isGood) ?? true }
}

extension Problem {
    /// - Parameter isRevoked: whether something was taken away, which stays so in memory.
    fileprivate static func notSaved(_ subject: String, isRevoked: Bool) -> Problem {
        let until =
            isRevoked
            ? "; what was taken away is refused all the same, but only until the relay restarts"
            : ""
        return Problem(
            .notSaved,
            "\(subject) could not be saved; make room on the disk and repeat this\(until)")
    }

    fileprivate static let tooManyChanges = retryLater(
        .crowded,
        "nothing was changed: many changes of this token wait for the disk; send the same again in "
            + "a few seconds", after: 5)
}

extension Relay {
    /// Takes over settings that were read again. Settings that cannot change while the relay runs
    /// stay, and the log says so.
    package func change(_ new: Settings) {
        let origins = zip(settings.origins, new.origins)
        var (kept, changed): ([String], [String]) = ([], [])
        for (setting, (before, after)) in zip(Setting.all, origins)
        where before.value != after.value {
            if setting.changesLive {
                changed.append(setting.name)
            } else {
                kept.append(setting.name)
            }
        }
        settings.updateLive(from: new)
        access.change(settings)
        tell(.settingsChanged)
        log.change(settings.logLevel, settings.logFormat)
        log.info("settings reread", [("changed", changed.joined(separator: ","))])
        if !kept.isEmpty {
            log.warning(
                "restart the relay to change these settings",
                [("settings", kept.joined(separator: ","))])
        }
    }
}

extension Relay {
    /// Ends what depends on a revoked token or session: links, sessions, authorizations, waiting
    /// requests and queues under way. Health data that was accepted is taken.
    func endRevoked() {
        if access.endRevoked() {
            files.save { [sessions = access.sessions] in
                _ = $0.save(sessions, as: .sessions, $1)
            }
        }
        let access = access
        endWaits { !access.isGood($0) }
        intakes.revoke { !access.isGood($0) }
    }

    func saveLastSeen() {
        guard let times = access.lastSeen.takeUnsaved(of: access.devices) else { return }
        files.save { _ = $0.save(times, as: .lastSeen, $1) }
    }
}

extension Relay {
    /// Retries waiting deliveries at once when a network comes back. Called on the loop.
    package nonisolated func networkCameBack() {
        assumeIsolated { relay in
            relay.log.info("a network has come back", [])
            relay.engine.handle(.reachable)
            relay.finishTurn()
            // Further work may be due: this comes behind the relay's own turn.
            relay.loop.post {}
        }
    }
}
