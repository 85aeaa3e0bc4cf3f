import BeemedDomain
import Foundation
import Testing

@testable import RelayTrunk

/// A folder of a test's own, gone with it.
final class TemporaryFolder: Sendable {
    let path: String

    init() {
        path = TestProcess.folder + "beemed-test-\(UUID().uuidString)"
    }

    /// Makes it, or a folder in it, for its owner alone.
    func make(_ name: String = "") throws {
        try FileManager.default.createDirectory(
            atPath: "\(path)/\(name)", withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
    }

    /// Writes a file in it.
    func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: "\(path)/\(name)"))
    }

    /// A folder with what this one holds now, as a new process would find it.
    func copy() throws -> TemporaryFolder {
        let copy = TemporaryFolder()
        try FileManager.default.copyItem(atPath: path, toPath: copy.path)
        return copy
    }

    /// With what the request ids of this device begin.
    func identity(of name: String) throws -> String {
        "\(try require(RelayStore(folder: path).devices()[name]).identity)"
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }
}
