import BeemedDomain
import Foundation
import Testing

@testable import RelayCommands
@testable import RelayTrunk

/// Commands of one user on the data folder of another one's relay.
struct FolderOwnerTests {
    private let folder = TemporaryFolder()

    private var own: UInt32 { UInt32(geteuid()) }

    @Test func `a folder is judged by its owner while a relay runs on it`() throws {
        let relay = try RelayFolder(folder.path)
        defer { relay.folder.release() }
        expect(FolderOwner.startBlockers(at: folder.path, user: own + 1), is: [])
        expect(FolderOwner.startBlockers(at: folder.path, user: own), is: [])
        let journal = "\(folder.path)/journal"
        expect(unsafe chmod(journal, 0o777), is: 0)
        let open = FolderOwner.startBlockers(at: folder.path, user: own + 1)
        expect(
            open,
            is: [
                "a start would be refused: others may write to \(journal); "
                    + "run: chmod 700 \(journal)"
            ])
        expect(unsafe chmod(journal, 0o500), is: 0)
        let closed = FolderOwner.startBlockers(at: folder.path, user: own + 1)
        expect(closed.count == 1 && closed[0].hasPrefix("nothing can be written to \(journal)"))
        expect(unsafe chmod(journal, 0o700), is: 0)
        try FileManager.default.removeItem(atPath: "\(folder.path)/history")
        expect(FolderOwner.startBlockers(at: folder.path, user: own + 1), is: [])
    }

    @Test func `root is told to start the service whose folder it would spoil`() throws {
        let service = DataFolderLocator.ofService
        let words = try require(StoppedRelay.advice(service, owner: 61_234, user: 0))
        expect(words.contains("systemctl start beemed-relay"))
        expect(StoppedRelay.advice("/var/lib/private/beemed-relay", owner: 61_234, user: 0) != nil)
        let other = try require(StoppedRelay.advice("/srv/relay", owner: 1_000, user: 0))
        expect(other.contains("sudo -u '#1000' beemed-relay"))
        expect(StoppedRelay.advice(service, owner: 0, user: 0) == nil)
        expect(StoppedRelay.advice(service, owner: nil, user: 0) == nil)
        expect(StoppedRelay.advice(service, owner: 61_234, user: 1_000) == nil)
    }

    @Test func `the command that starts a relay is the service's for its folder`() {
        expect(
            DataFolderLocator.start(on: DataFolderLocator.ofService),
            is: "systemctl start beemed-relay")
        expect(
            DataFolderLocator.start(on: "\(DataFolderLocator.ofService)/"),
            is: "systemctl start beemed-relay")
        expect(DataFolderLocator.start(on: folder.path), is: "beemed-relay serve")
    }
}
