import Foundation

/// A folder of a test's own, gone with it.
final class TemporaryFolder: Sendable {
    let path: String

    init() {
        path = NSTemporaryDirectory() + "beemed-test-\(UUID().uuidString)"
    }

    /// A folder with what this one holds now, as a new process would find it.
    func copy() throws -> TemporaryFolder {
        let copy = TemporaryFolder()
        try FileManager.default.copyItem(atPath: path, toPath: copy.path)
        return copy
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }
}
