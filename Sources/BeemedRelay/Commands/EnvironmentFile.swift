import BeemedDomain
import RelayTrunk

/// The variables that systemd gives the service from a file (`EnvironmentFile=`, systemd.exec(5)).
enum EnvironmentFile {
    /// The file of the service of the machine.
    static let ofService = "/etc/default/\(DataFolderLocator.unit)"

    /// The variables of that file; none when unreadable.
    static func variables(of path: String) -> [String: String] {
        guard let bytes = try? PrivateFile.contents(ofAny: path) else { return [:] }
        return variables(in: String(decoding: bytes, as: UTF8.self))
    }

    /// Reads `NAME=value` lines, with or without quotes. Comments are left out.
    static func variables(in text: String) -> [String: String] {
        var variables: [String: String] = [:]
        for line in text.split(separator: "\n") {
            let line = String(line).trimmed
            guard !line.hasPrefix("#"), !line.hasPrefix(";"), let sign = line.firstIndex(of: "=")
            else { continue }
            let value = String(line[line.index(after: sign)...]).trimmed
            variables[String(line[..<sign]).trimmed] = unquoted(value)
        }
        return variables
    }

    private static func unquoted(_ text: String) -> String {
        guard text.count >= 2, let first = text.first, first == text.last, "\"'".contains(first)
        else { return text }
        return String(text.dropFirst().dropLast())
    }
}
