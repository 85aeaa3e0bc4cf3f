import BeemedDomain
import RelayHTTP

/// A change of a settings file that was computed and is not saved yet.
struct SettingsChange {
    /// Saves the new state; called off the loop.
    let save: @Sendable (RelayStore, Log) -> Bool
    /// What was not saved, for the refusal, as in "the devices".
    let subject: String
    /// Puts the new state into effect once it is durable, and makes the answer.
    let apply: () -> Response
    /// Takes back what was done before it was saved; called when it could not be.
    var takeBack: () -> Void = {}
}

/// Changes of settings files, one at a time: each begins with the state that the one before has
/// saved, takes effect when it is durable, and is answered then. The loop never waits for them.
struct SettingsChanges {
    /// A request, and how it computes its change from the present state.
    struct Request {
        let call: Call
        let prepare: () throws(Problem) -> SettingsChange
    }

    private var waiting: [Request] = []
    /// The change that is being saved, and its request.
    private var saving: (change: SettingsChange, call: Call)?

    /// Adds a request.
    mutating func add(_ request: Request) { waiting.append(request) }

    /// The next request; nil while a change is being saved.
    mutating func next() -> Request? {
        saving == nil && !waiting.isEmpty ? waiting.removeFirst() : nil
    }

    mutating func begin(_ change: SettingsChange, for call: Call) { saving = (change, call) }

    /// The change has been saved, or could not be.
    mutating func end() -> (change: SettingsChange, call: Call)? { saving.take() }
}

extension Relay {
    /// Changes settings for a request, whose answer follows once the change is durable: after a
    /// power failure a token that was shown must be valid, and a revoked one must not.
    func change(
        _ call: Call, _ prepare: @escaping () throws(Problem) -> SettingsChange
    ) {
        changes.add(SettingsChanges.Request(call: call, prepare: prepare))
        beginChanges()
    }

    private func beginChanges() {
        while let request = changes.next() {
            do throws(Problem) {
                // The changes before it may have made them false.
                try checkConditions(of: request.call)
                save(try request.prepare(), for: request.call)
            } catch {
                answer(request.call, .failure(error))
            }
        }
    }

    private func save(_ change: SettingsChange, for call: Call) {
        changes.begin(change, for: call)
        let loop = loop
        files.save(change.save) { isSaved in
            loop.post {
                self.assumeIsolated { relay in
                    relay.endChange(isSaved: isSaved)
                    relay.finishTurn()
                }
            }
        }
    }

    private func endChange(isSaved: Bool) {
        guard let (change, call) = changes.end() else { return }
        if isSaved {
            answer(call, .success(change.apply()))
        } else {
            change.takeBack()
            answer(call, .failure(.notSaved(change.subject)))
        }
        beginChanges()
    }
}

extension Problem {
    /// - Parameter subject: what was not saved, as in "the devices".
    fileprivate static func notSaved(_ subject: String) -> Problem {
        Problem(.notSaved, "\(subject) could not be saved; make room on the disk and repeat this")
    }
}
