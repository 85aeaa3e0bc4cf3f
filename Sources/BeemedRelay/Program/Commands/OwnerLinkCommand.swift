import Foundation
import RelayHTTP

/// `beemed-relay owner-link`: a link that signs a browser in as the owner, once.
struct OwnerLinkCommand {
    private struct Offered: Decodable {
        var path: String
    }

    private let arguments: Arguments
    private let settings: Settings

    init(_ arguments: [String], _ environment: [String: String]) throws(Failure) {
        self.arguments = try Arguments(
            arguments, valued: ["data"], plain: ["help", "sign-out-everywhere"])
        settings = try Settings(self.arguments, environment: environment)
    }

    func run() throws(Failure) -> ExitCode {
        guard !arguments.has("help") else {
            Console.output(Usage.ownerLink)
            return .ok
        }
        guard let running = try RunningRelay(data: settings.data) else {
            throw Failure(
                .unavailable, "no relay runs on \(settings.data); start 'beemed-relay serve' first")
        }
        if arguments.has("sign-out-everywhere") {
            _ = try running.call("DELETE", "/sessions", nil)
            return .ok
        }
        let answer = try running.call("POST", "/owner-link", nil)
        guard let offered = try? JSONDecoder().decode(Offered.self, from: answer) else {
            throw Failure(.software, "the relay's answer cannot be read")
        }
        Console.output("http://\(running.shown)\(offered.path)")
        return .ok
    }
}
