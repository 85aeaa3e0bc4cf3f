import Foundation

/// The project's own files, as the tests of the house read them.
enum SourceTree {
    static let root: String = {
        var url = URL(fileURLWithPath: #filePath)
        for _ in 0..<4 { url.deleteLastPathComponent() }
        return url.path
    }()

    struct File: Sendable {
        /// From the project's root.
        var path: String
        var text: String

        var lines: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }
    }

    static func file(_ path: String) throws -> File {
        File(path: path, text: try String(contentsOfFile: "\(root)/\(path)", encoding: .utf8))
    }

    /// All Swift files below a folder.
    static func swiftFiles(below folder: String) throws -> [File] {
        let names = FileManager.default.enumerator(atPath: "\(root)/\(folder)")
        return try (names?.allObjects as? [String] ?? [])
            .filter { $0.hasSuffix(".swift") }
            .sorted()
            .map { try file("\(folder)/\($0)") }
    }
}
