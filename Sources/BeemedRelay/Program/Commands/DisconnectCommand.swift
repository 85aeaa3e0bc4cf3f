import Foundation

/// `beemed-relay disconnect`: removes the account. Queued presses stay queued.
struct DisconnectCommand {
    private let arguments: Arguments
    private let settings: Settings

    init(_ arguments: [String], _ environment: [String: String]) throws(Failure) {
        self.arguments = try Arguments(arguments, valued: ["data"], plain: ["help"])
        settings = try Settings(self.arguments, environment: environment)
    }

    func run() throws(Failure) -> ExitCode {
        guard !arguments.has("help") else {
            Console.output(Usage.disconnect)
            return .ok
        }
        if let running = try RunningRelay(data: settings.data) {
            _ = try running.call("DELETE", "/connection", nil)
        } else {
            guard try RelayFolder(settings.data).store.save(nil, .standard) else {
                throw Failure(.ioError, "the account could not be forgotten")
            }
        }
        Console.output("Disconnected; what is queued waits for the same user.")
        return .ok
    }
}
