import Foundation
import Testing

@testable import BeemedRelay
@testable import RelayTrunk

/// Which folder a command is about when none is named.
struct DataFolderLocatorTests {
    private let home = TemporaryFolder()
    private let service = TemporaryFolder()

    private func folder() throws -> String {
        let command = try require(CommandTable.command(["device", "list"]))
        let environment = ["HOME": home.path]
        let settings = try Settings(Arguments([], for: command), environment: environment)
        return DataFolderLocator(settings, environment, service: service.path).folder
    }

    /// As a start does.
    private func use(_ folder: String) throws {
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        try PrivateFile.write(Array(Token.random().text.utf8), to: "\(folder)/owner-token")
    }

    @Test func `the machine's service is meant unless the user has a relay`() throws {
        let own = try folder()
        expect(own.hasPrefix(home.path))
        try use(service.path)
        try expect(folder(), is: service.path)
        try use(own)
        try expect(folder(), is: own)
    }
}
