import Foundation
import Testing

@testable import BeemedDomain

/// What the journal relies on, held against the real file system and against the simulated one.
struct DiskTests {
    enum Kind: String, CaseIterable, Sendable, CustomTestStringConvertible {
        case simulated, system

        var testDescription: String { "the \(rawValue) disk" }
    }

    private func disk(_ kind: Kind) throws -> any Disk {
        switch kind {
        case .simulated: SimulatedDisk()
        case .system: try systemDisk()
        }
    }

    private func systemDisk() throws -> SystemDisk {
        let path = TestProcess.folder + "beemed-disk-" + UUID().uuidString
        return try SystemDisk(dataFolder: DataFolder(path: path, note: "test").path)
    }

    private func make(_ disk: any Disk, _ name: String, _ text: String) throws {
        let file = try disk.create(StoredFile(.journal, name), "test.create")
        try disk.writeAll(Array(text.utf8), to: file, "test.append")
        disk.close(file)
    }

    private func text(_ disk: any Disk, _ name: String) throws -> String {
        let bytes = try disk.read(StoredFile(.journal, name), from: 0, count: 100, "test.read")
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test(arguments: Kind.allCases)
    func `lists the names of a folder in order`(_ kind: Kind) throws {
        let disk = try disk(kind)
        try expect(disk.list(.journal, "test.list").isEmpty)
        for name in ["b", "a", "c"] { try make(disk, name, "") }
        try expect(disk.list(.journal, "test.list"), is: ["a", "b", "c"])
        try expect(disk.list(.quarantine, "test.list").isEmpty)
    }

    @Test(arguments: Kind.allCases)
    func `creates no file that exists`(_ kind: Kind) throws {
        let disk = try disk(kind)
        try make(disk, "a", "kept")
        #expect(throws: DiskError("test.again", code: EEXIST)) {
            try disk.create(StoredFile(.journal, "a"), "test.again")
        }
        try expect(text(disk, "a"), is: "kept")
    }

    @Test(arguments: Kind.allCases)
    func `reads from any place and less only at the end`(_ kind: Kind) throws {
        let disk = try disk(kind)
        try make(disk, "a", "0123456789")
        let file = StoredFile(.journal, "a")
        try expect(disk.read(file, from: 2, count: 3, "test.read"), is: Array("234".utf8))
        try expect(disk.read(file, from: 8, count: 9, "test.read"), is: Array("89".utf8))
        try expect(disk.read(file, from: 10, count: 9, "test.read").isEmpty)
        try expect(disk.read(file, from: 99, count: 9, "test.read").isEmpty)
    }

    @Test(arguments: Kind.allCases)
    func `reads no file that is not there`(_ kind: Kind) throws {
        let disk = try disk(kind)
        #expect(throws: DiskError("test.read", code: ENOENT)) {
            try disk.read(StoredFile(.journal, "a"), from: 0, count: 1, "test.read")
        }
    }

    @Test(arguments: Kind.allCases)
    func `appends, measures and cuts off`(_ kind: Kind) throws {
        let disk = try disk(kind)
        let name = StoredFile(.journal, "a")
        let file = try disk.create(name, "test.create")
        defer { disk.close(file) }
        try disk.writeAll(Array("one".utf8), to: file, "test.append")
        try disk.writeAll(Array("two".utf8), to: file, "test.append")
        try expect(disk.append(Array("xyz".utf8), from: 1, to: file, "test.append"), is: 2)
        try expect(disk.size(of: file, named: name, "test.size"), is: 8)
        try disk.truncate(file, to: 4, "test.truncate")
        try expect(disk.size(of: file, named: name, "test.size"), is: 4)
        try disk.writeAll(Array("!".utf8), to: file, "test.append")
        try disk.sync(file, "test.sync")
        try expect(text(disk, "a"), is: "onet!")
    }

    @Test(arguments: Kind.allCases)
    func `measures an open file by its name only if it has it`(_ kind: Kind) throws {
        let disk = try disk(kind)
        let name = StoredFile(.journal, "a")
        let file = try disk.create(name, "test.create")
        defer { disk.close(file) }
        try disk.writeAll(Array("one".utf8), to: file, "test.append")
        try expect(disk.size(of: file, named: name, "test.size"), is: 3)
        let other = StoredFile(.journal, "b")
        try make(disk, "b", "one")
        #expect(throws: DiskError("test.size", code: ESTALE)) {
            try disk.size(of: file, named: other, "test.size")
        }
        try disk.unlink(name, "test.unlink")
        #expect(throws: DiskError("test.size", code: ENOENT)) {
            try disk.size(of: file, named: name, "test.size")
        }
        try disk.move(other, to: name, "test.rename")
        #expect(throws: DiskError("test.size", code: ESTALE)) {
            try disk.size(of: file, named: name, "test.size")
        }
    }

    @Test(arguments: Kind.allCases)
    func `overwrites a note from its beginning`(_ kind: Kind) throws {
        let disk = try disk(kind)
        try make(disk, "note", "")
        let file = try disk.reopen(StoredFile(.journal, "note"), "test.reopen")
        defer { disk.close(file) }
        for words in ["one", "two", "three"] {
            try disk.overwrite(file, at: 0, with: Array(words.utf8), "test.write")
            try expect(text(disk, "note"), is: words)
        }
    }

    @Test(arguments: Kind.allCases)
    func `overwrites a part of a file that is appended to`(_ kind: Kind) throws {
        let disk = try disk(kind)
        let name = StoredFile(.journal, "a")
        let file = try disk.create(name, "test.create")
        defer { disk.close(file) }
        try disk.writeAll(Array("one two three".utf8), to: file, "test.append")
        let again = try disk.reopen(name, "test.reopen")
        defer { disk.close(again) }
        try disk.overwrite(again, at: 4, with: Array("2nd".utf8), "test.write")
        try expect(text(disk, "a"), is: "one 2nd three")
        _ = try disk.append(Array("!".utf8), from: 0, to: file, "test.append")
        try expect(text(disk, "a"), is: "one 2nd three!")
        for (position, count, words) in [
            (4, 6, "2nd th"), (0, 3, "one"), (8, 99, "three!"), (14, 1, ""), (99, 1, ""),
        ] {
            let found = try disk.read(file, from: position, count: count, "test.read")
            expect(found, is: Array(words.utf8))
        }
        if kind == .system {
            #expect(throws: DiskError("test.read", code: EBADF)) {
                try disk.read(FileNumber(value: -1), from: 0, count: 1, "test.read")
            }
        }
        #expect(throws: DiskError("test.reopen", code: ENOENT)) {
            try disk.reopen(StoredFile(.journal, "b"), "test.reopen")
        }
    }

    @Test func `moves a folder to another one`() throws {
        let disk = try systemDisk()
        let (old, new) = (StoredFile(.journal, "a.tmp"), StoredFile(.quarantine, "a"))
        try FileManager.default.createDirectory(
            atPath: disk.path(old), withIntermediateDirectories: false)
        #expect(throws: DiskError("test.unlink", code: EISDIR)) {
            try disk.unlink(old, "test.unlink")
        }
        #expect(throws: DiskError("test.read", code: EISDIR)) {
            try disk.read(old, from: 0, count: 1, "test.read")
        }
        try disk.move(old, to: new, "test.move")
        try expect(disk.list(.journal, "test.list").isEmpty)
        try expect(disk.list(.quarantine, "test.list"), is: ["a"])
    }

    @Test func `does not wait for a pipe`() throws {
        let disk = try systemDisk()
        let name = StoredFile(.journal, "pipe")
        let path = disk.path(name)
        expect(unsafe mkfifo(path, 0o600), is: 0)
        #expect(throws: DiskError("test.read", code: ESPIPE)) {
            try disk.read(name, from: 0, count: 1, "test.read")
        }
    }

    @Test(arguments: Kind.allCases)
    func `renames, and the open file goes with its name`(_ kind: Kind) throws {
        let disk = try disk(kind)
        let file = try disk.create(StoredFile(.journal, "a.tmp"), "test.create")
        defer { disk.close(file) }
        try disk.move(
            StoredFile(.journal, "a.tmp"), to: StoredFile(.journal, "a"), "test.rename")
        try disk.syncFolder(.journal, "test.folder")
        try disk.writeAll(Array("after".utf8), to: file, "test.append")
        try expect(disk.list(.journal, "test.list"), is: ["a"])
        try expect(text(disk, "a"), is: "after")
    }

    @Test(arguments: Kind.allCases)
    func `removes a name and not what others call so`(_ kind: Kind) throws {
        let disk = try disk(kind)
        try make(disk, "a", "x")
        try disk.unlink(StoredFile(.journal, "a"), "test.unlink")
        try expect(disk.list(.journal, "test.list").isEmpty)
        #expect(throws: DiskError("test.unlink", code: ENOENT)) {
            try disk.unlink(StoredFile(.journal, "a"), "test.unlink")
        }
    }

    @Test(arguments: Kind.allCases)
    func `says how much room there is`(_ kind: Kind) throws {
        let disk = try disk(kind)
        let free = try disk.freeBytes("test.free")
        expect(free > 0)
    }

    @Test func `makes files that nobody else can read`() throws {
        let disk = try systemDisk()
        try make(disk, "a", "x")
        let path = disk.path(StoredFile(.journal, "a"))
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
        expect(mode as? Int, is: 0o600)
    }

    @Test func `follows no symbolic link`() throws {
        let disk = try systemDisk()
        try make(disk, "target", "secret")
        try FileManager.default.createSymbolicLink(
            atPath: disk.path(StoredFile(.journal, "link")), withDestinationPath: "target")
        #expect(throws: DiskError("test.read", code: ELOOP)) {
            try disk.read(StoredFile(.journal, "link"), from: 0, count: 1, "test.read")
        }
    }
}
