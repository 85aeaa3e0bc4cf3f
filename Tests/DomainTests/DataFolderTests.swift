import Foundation
import Testing

@testable import BeemedDomain

/// The folder that one relay at a time owns, on the real file system.
struct DataFolderTests {
    private let path = TestProcess.folder + "beemed-folder-" + UUID().uuidString

    private func lockText(in folder: String) throws -> String {
        try String(contentsOfFile: "\(folder)/lock", encoding: .utf8)
    }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    private func setMode(_ path: String, _ mode: Int) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    @Test func `is made with its parents, for its owner alone`() throws {
        let folder = try DataFolder(path: "\(path)/deep/er", note: "1\n")
        for name in ["", "/journal", "/quarantine"] {
            try expect(mode(folder.path + name), is: 0o700)
        }
        try expect(mode(folder.path + "/lock"), is: 0o600)
    }

    @Test func `belongs to one at a time`() throws {
        do {
            let first = try DataFolder(path: path, note: "4711\n")
            #expect(throws: DataFolderError.inUse(by: "4711\n")) {
                try DataFolder(path: path, note: "4712\n")
            }
            try first.write(note: "4711\nhere\n")
            try expect(lockText(in: path), is: "4711\nhere\n")
        }
        _ = try DataFolder(path: path, note: "4712\n")
        try expect(lockText(in: path), is: "4712\n")
    }

    @Test func `tells who has it and what is in the way, and touches nothing`() throws {
        expect(DataFolder.holder(of: path) == nil)
        expect(DataFolder.startBlockers(at: path).isEmpty)
        do {
            let folder = try DataFolder(path: path, note: "4711\n")
            expect(DataFolder.holder(of: path), is: "4711\n")
            withExtendedLifetime(folder) {}
        }
        expect(DataFolder.holder(of: path) == nil)
        expect(DataFolder.startBlockers(at: path).isEmpty)
        for name in ["", "/journal", "/quarantine", "/history"] {
            try setMode(path + name, 0o770)
            let words = DataFolder.startBlockers(at: path)
            expect(words.count, is: 1)
            expect(words.first?.hasSuffix("run: chmod 700 \(path)\(name)"), is: true)
            try setMode(path + name, 0o700)
        }
    }

    @Test func `stays locked when the lock file is opened and closed by others`() throws {
        let first = try DataFolder(path: path, note: "1\n")
        for _ in 0..<3 { _ = try lockText(in: path) }
        #expect(throws: DataFolderError.inUse(by: "1\n")) {
            try DataFolder(path: path, note: "2\n")
        }
        withExtendedLifetime(first) {}
    }

    @Test(arguments: [
        ("", 0o777), ("", 0o770), ("", 0o702), ("", 0o720), ("/journal", 0o777),
        ("/quarantine", 0o777),
    ])
    func `is refused when others may write to it`(_ name: String, _ mode: Int) throws {
        _ = try DataFolder(path: path, note: "")
        try setMode(path + name, mode)
        #expect(throws: DataFolderError.self) { try DataFolder(path: path, note: "") }
        try setMode(path + name, 0o750)
        _ = try DataFolder(path: path, note: "")
    }

    @Test func `is refused when it is a file`() throws {
        expect(FileManager.default.createFile(atPath: path, contents: nil))
        #expect(throws: DataFolderError.unusable(DiskError("folder.stat", code: ENOTDIR))) {
            try DataFolder(path: path, note: "")
        }
    }

    @Test func `follows no link at its lock`() throws {
        _ = try DataFolder(path: path, note: "")
        try FileManager.default.removeItem(atPath: "\(path)/lock")
        try FileManager.default.createSymbolicLink(
            atPath: "\(path)/lock", withDestinationPath: "journal/00000001.jnl")
        #expect(throws: DataFolderError.unusable(DiskError("lock.open", code: ELOOP))) {
            try DataFolder(path: path, note: "")
        }
    }

    @Test func `carries a journal through a restart on the real disk`() throws {
        for round in 1...3 {
            let folder = try DataFolder(path: path, note: "")
            var (journal, recovered, _) = try Journal.open(
                try SystemDisk(dataFolder: folder.path), store: "5704e", time: UnixTime(0))
            expect(recovered.entries.count, is: round - 1)
            let receipt = try journal.commit(
                [Record(recovered.next, .put(.make("e\(round)")))],
                live: LiveSize(bytes: 0))
            expect(receipt.through, is: recovered.next)
            if round < 3 { try journal.close() }
        }
        let files = try FileManager.default.contentsOfDirectory(atPath: "\(path)/journal")
        expect(files.sorted(), is: ["00000001.jnl", "mark", "reserve"])
        for file in files { try expect(mode("\(path)/journal/\(file)"), is: 0o600) }
    }
}
