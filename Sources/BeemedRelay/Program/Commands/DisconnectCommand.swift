#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// `beemed-relay disconnect`: removes the account. Queued presses stay queued.
struct DisconnectCommand {
    /// The answer to `GET /connection`.
    private struct Connection: Decodable {
        /// Nil without an account.
        var kind: String?
    }

    private let data: String

    init(_ invocation: Invocation) {
        data = invocation.place(mayBeDemo: false).folder
    }

    func run() throws(Failure) -> ExitCode {
        let isConnected: Bool
        if let running = try RunningRelay(data: data) {
            let connection = try running.call("GET", "/connection").decoded(Connection.self)
            isConnected = connection.kind != nil
            _ = try running.call("DELETE", "/connection", nil)
        } else if !FileManager.default.fileExists(atPath: data) {
            Console.output("No account is connected: \(data) does not exist.")
            return .ok
        } else {
            isConnected = try StoppedRelay.change(data) { (store) throws(Failure) in
                let isThere = try store.accounts.load() != nil
                guard store.save(nil, .standard) else {
                    throw Failure(.ioError, "the account could not be forgotten")
                }
                return isThere
            }
        }
        Console.output(
            isConnected
                ? "Disconnected; presses that wait are kept for the same user."
                : "No account was connected.")
        return .ok
    }
}
