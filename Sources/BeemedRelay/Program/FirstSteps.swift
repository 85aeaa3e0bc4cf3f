import BeemedDomain
import Foundation
import RelayHTTP

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Help for the first start: a command that works as it stands, and a sign-in link. They are
/// printed only on a terminal; other standard output may be a log that is kept and read by others,
/// so they go into a file instead.
enum FirstSteps {
    /// The file in the data folder.
    static let file = "first-steps"
    private static let linkBegins = "Open this once"

    /// Prints them, or the name of their file.
    ///
    /// - Parameters:
    ///   - link: the text about the link; nil when none is needed.
    ///   - device: the text about the first device; nil after the first start.
    static func show(link: String?, device: String?, in folder: String, _ log: Log) {
        guard !Console.isTerminal else {
            for words in [link, device] { if let words { Console.output(words) } }
            return
        }
        let path = "\(folder)/\(file)"
        do throws(DiskError) {
            let old = try PrivateFile.read(path).map { String(decoding: $0, as: UTF8.self) }
            let words = [link, device ?? old.flatMap(deviceWords)].compactMap { $0 }
            guard !words.isEmpty else {
                if old != nil { try PrivateFile.remove(path) }
                return
            }
            try PrivateFile.write(Array((words.joined(separator: "\n\n") + "\n").utf8), to: path)
        } catch {
            log.error("the first steps were not saved", [("cause", "\(error)")])
            return
        }
        guard link != nil || device != nil else { return }
        let what = device == nil ? "A link that signs your browser in" : "Your first steps"
        Console.output("\(what): see \(path), which you alone can read")
    }

    /// The text of an earlier start about its device, whose token is shown nowhere else.
    private static func deviceWords(_ text: String) -> String? {
        let parts = text.components(separatedBy: "\n\n").filter { !$0.hasPrefix(linkBegins) }
        let words = parts.joined(separator: "\n\n").trimmingCharacters(in: .newlines)
        return words.isEmpty ? nil : words
    }

    /// - Parameters:
    ///   - token: the first device's, shown only here.
    ///   - goal: an existing one; nil when none is known.
    static func text(_ endpoint: Endpoint, token: String, goal: String?) -> String {
        let url = "http://\(shown(endpoint))/log/\(goal ?? "GOAL")"
        return """
            The device 'first' may log; its token is shown this once: \(token)
            For every kind of device, and every error: http://\(shown(endpoint))/docs
            Try:
              curl -H "Authorization: Bearer \(token)" -d '+1' \(url)
            """
    }

    /// The address at which other devices reach it.
    static func shown(_ endpoint: Endpoint) -> Endpoint {
        endpoint.address == Address([0, 0, 0, 0]) ? lan(endpoint) : endpoint.reachable
    }

    /// - Parameter path: the path of the sign-in link.
    static func ownerLink(_ endpoint: Endpoint, _ path: String) -> String {
        """
        \(linkBegins), within 15 minutes, to sign your browser in as the owner:
          http://\(shown(endpoint))\(path)
        """
    }

    static let notConnected = """
        No Beeminder account is connected, so nothing is taken yet. Set BEEMINDER_AUTH_TOKEN, or
        run: beemed-relay connect --auth-token -
        """

    /// This machine's own address in the home network, which other devices need.
    private static func lan(_ endpoint: Endpoint) -> Endpoint {
        for address in Host.current().addresses {
            guard let address = Address(address), address.bytes.count == 4, address.isPrivate,
                !address.isLoopback
            else { continue }
            return Endpoint(address, port: endpoint.port)
        }
        return endpoint.reachable
    }
}
