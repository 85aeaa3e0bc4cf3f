import RelayHTTP

/// `beemed-relay owner-link`: a link that signs a browser in as the owner, once.
struct OwnerLinkCommand {
    private struct Offered: Decodable {
        var path: String
    }

    private let invocation: Invocation

    init(_ invocation: Invocation) {
        self.invocation = invocation
    }

    func run() throws(Failure) -> ExitCode {
        let running = try invocation.relay()
        if invocation.arguments.has("sign-out-everywhere") {
            _ = try running.call("DELETE", "/sessions")
            return .ok
        }
        let offered = try running.call("POST", "/owner-link").decoded(Offered.self)
        let link = "http://\(running.shown)\(offered.path)"
        if invocation.wantsJSON {
            invocation.printJSON(["url": link])
            return .ok
        }
        Console.output(link)
        if Console.isTerminal, let code = QRCode(link) { Console.output(code.text) }
        return .ok
    }
}
