import BeemedDomain
import Foundation

/// A data folder as a released version has left it.
enum GoldenFolder {
    /// Copies it to where a relay may use it.
    static func copy(_ version: String, to folder: TemporaryFolder) throws {
        let golden = "\(SourceTree.root)/Tests/RelayTests/Golden/\(version)"
        try FileManager.default.copyItem(atPath: golden, toPath: folder.path)
        for path in ["", "/journal", "/history"].map({ "\(folder.path)\($0)" }) {
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
        }
    }

    /// Replaces the record in one line of a segment.
    static func replace(_ number: Int, of path: String, with record: (String) -> String) throws {
        var lines = try String(contentsOfFile: path, encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let json = record(String(lines[number].split(separator: "\t")[0]))
        let sum = String(CRC32C.of(Array(json.utf8).span), radix: 16)
        lines[number] = json + "\t" + String(repeating: "0", count: 8 - sum.count) + sum
        try Data(lines.joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: path))
    }
}
