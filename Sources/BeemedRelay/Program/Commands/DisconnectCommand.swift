#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// `beemed-relay disconnect`: removes the account. Queued presses stay queued.
struct DisconnectCommand {
    private let data: String

    init(_ invocation: Invocation) {
        data = invocation.place(mayBeDemo: false).folder
    }

    func run() throws(Failure) -> ExitCode {
        if let running = try RunningRelay(data: data) {
            _ = try running.call("DELETE", "/connection", nil)
        } else if !FileManager.default.fileExists(atPath: data) {
            Console.output("No account is connected: \(data) does not exist.")
            return .ok
        } else {
            try StoppedRelay.change(data) { (store) throws(Failure) in
                guard store.save(nil, .standard) else {
                    throw Failure(.ioError, "the account could not be forgotten")
                }
            }
        }
        Console.output("Disconnected; what is queued waits for the same user.")
        return .ok
    }
}
