import BeemedDomain
package import RelayHTTP

/// A change of the settings is in effect at once, in memory. Its answer waits until it is saved:
/// after a power failure a token that was shown must be valid, and a revoked one must not.
extension Relay {
    /// Changes a value that has a file of its own. If that cannot be saved, it stays in effect
    /// until a restart: a person who removes a device has a reason, and no press may be logged with
    /// its token while a disk is slow or fails.
    ///
    /// `edit` changes a copy of the present value and makes the answer, `apply` puts the copy to use;
    /// when it was saved, `end` is called before the answer.
    @discardableResult package func change<Value: Encodable & Sendable>(
        _ call: Call, _ file: DataFile, _ subject: String, from present: @escaping () -> Value,
        _ edit: (inout Value) throws(Problem) -> Response, apply: (Value) -> Void,
        onceSaved end: @escaping () -> Void = {}
    ) throws(Problem) -> Response? {
        let result: Result<Response, Problem>
        do throws(Problem) {
            var value = present()
            let response = try edit(&value)
            apply(value)
            result = .success(response)
        } catch {
            // A removal that was not saved is repeated so: there is nothing left to remove.
            guard files.isUnsaved(file) else { throw error }
            result = .failure(error)
        }
        return later(call) { () async throws(Problem) in
            guard await self.files.save(as: file, present) else {
                throw .notSaved(subject, isInEffect: true)
            }
            end()
            return try result.get()
        }
    }

    /// Ends what depends on a revoked token or session: links, sessions, authorizations and waiting
    /// requests. Queues under way ask for themselves; health data that was accepted is taken.
    ///
    /// - Parameter readers: the digests of tokens that may not read any more.
    func endRevoked(_ readers: Set<TokenDigest> = []) {
        if access.endRevoked() {
            files.save(.sessions) { [sessions = access.sessions] in
                $0.save(sessions, as: .sessions, $1)
            }
        }
        let isOver = { [access] in readers.contains($0) || !access.isGood($0) }
        let ended = watchers.endAll(where: isOver) { records.unloggedRefusal(.revoked) }
        for answer in ended { add(answer) }
        tell(.revoked(isOver))
    }
}

extension Problem {
    /// A change that is in effect all the same, or was not made, since it must be durable before.
    static func notSaved(_ subject: String, isInEffect: Bool) -> Problem {
        let effect =
            isInEffect
            ? "; the change is in effect, but only until the relay restarts"
            : ", so nothing was changed"
        return Problem(
            .notSaved,
            "\(subject) could not be saved\(effect); make room on the disk and repeat this")
    }
}
