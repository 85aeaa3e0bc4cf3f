import BeemedDomain
package import RelayHTTP

/// Help for the first start: a command that works as it stands, and a sign-in link. They are
/// printed only on a terminal; other standard output may be a log that is kept and read by others,
/// so they go into a file instead.
package enum FirstSteps {
    static let file = DataFile.firstSteps.rawValue
    private static let linkBegins = "Open this once"

    /// Prints them, or the name of their file.
    package static func show(link: String?, device: String?, in folder: String, _ log: Log) {
        let linkWords = link.map(FirstSteps.linkText)
        guard !Console.isTerminal else {
            if let device { Console.output(device) }
            if let link, let linkWords {
                Console.output(linkWords)
                if let code = QRCode(link) { Console.output(code.text) }
            }
            return
        }
        let path = "\(folder)/\(file)"
        do throws(DiskError) {
            let old = try PrivateFile.read(path).map { String(decoding: $0, as: UTF8.self) }
            let words = [linkWords, device ?? old.flatMap(deviceWords)].compactMap { $0 }
            guard !words.isEmpty else {
                if old != nil { try PrivateFile.remove(path) }
                return
            }
            try PrivateFile.write(Array((words.joined(separator: "\n\n") + "\n").utf8), to: path)
        } catch {
            log.error("the first steps were not saved", [("cause", error.cause)])
            return
        }
        guard link != nil || device != nil else { return }
        let what = device == nil ? "A link that signs your browser in" : "Your first steps"
        Console.output("\(what): see \(path), which you alone can read")
    }

    private static func deviceWords(_ text: String) -> String? {
        let parts = text.split(separator: "\n\n").filter { !$0.hasPrefix(linkBegins) }
        let words = parts.joined(separator: "\n\n").trimmed
        return words.isEmpty ? nil : words
    }

    /// The token of the first device, shown only here, and how to use it.
    package static func text(_ endpoint: Endpoint, token: String, goal: String?) -> String {
        let machines = endpoint.address.isLoopback ? "this machine" : "any machine at home"
        let hint = goal == nil ? " (GOAL is the name of one of your goals)" : ""
        return """
            The device 'first' may log; its token is shown this once: \(token)
            Try, from \(machines)\(hint):
              \(curl("\(address(of: endpoint))", token: token, goal: goal))
            """
    }

    /// A line that logs a press.
    package static func curl(_ address: String, token: String, goal: String?) -> String {
        "curl -H \"Authorization: Bearer \(token)\" -d '+1' http://\(address)/log/\(goal ?? "GOAL")"
    }

    /// The address at which other devices reach it: of several, the first.
    package static func address(of endpoint: Endpoint) -> Endpoint {
        all(endpoint).first ?? endpoint.reachable
    }

    /// The addresses at which other devices reach it. A wildcard means every interface's.
    static func all(_ endpoint: Endpoint) -> [Endpoint] {
        guard endpoint.isAny else { return [endpoint] }
        // A socket of IPv4 is not reached by IPv6.
        let isIPv4 = endpoint.address.isIPv4
        return LocalAddresses.reachable.filter { !isIPv4 || $0.isIPv4 }
            .map { Endpoint($0, port: endpoint.port) }
    }

    /// The sign-in link with its explanation.
    package static func linkText(_ link: String) -> String {
        """
        \(linkBegins), within 15 minutes, to sign your browser in as the owner:
          \(link)
        """
    }
}

extension Endpoint {
    /// Whether the address is the wildcard, which means every interface's.
    fileprivate var isAny: Bool { address.bytes.allSatisfy { $0 == 0 } }

    /// The address for calls from this machine: a wildcard cannot be called.
    var reachable: Endpoint {
        guard isAny else { return self }
        let loopback: [UInt8] =
            address.isIPv4 ? [127, 0, 0, 1] : Array(repeating: 0, count: 15) + [1]
        return Endpoint(Address(loopback), port: port)
    }
}
