import Foundation
import Testing

@testable import BeemedDomain

/// The properties of a disk that the journal relies on, for the real disk and the simulated one.
struct DiskTests {
    /// Does it on a new disk of each kind.
    private func onBoth(_ body: (any Disk) throws -> Void) throws {
        try body(SimulatedDisk())
        try body(systemDisk())
    }

    private func systemDisk() throws -> SystemDisk {
        let path = TestProcess.folder + "beemed-disk-" + UUID().uuidString
        return try SystemDisk(dataFolder: DataFolder(path: path, note: "test").path)
    }

    private func make(_ disk: any Disk, _ name: String, _ text: String) throws {
        let file = try disk.create(StoredFile(.journal, name), "test.create")
        try disk.writeAll(Array(text.utf8), to: file, at: 0, "test.append")
        disk.close(file)
    }

    private func text(_ disk: any Disk, _ name: String) throws -> String {
        let bytes = try disk.read(StoredFile(.journal, name), from: 0, count: 100, "test.read")
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func `files are made, read and listed`() throws {
        try onBoth { disk in
            try expect(disk.list(.journal, "test.list").isEmpty)
            for name in ["b", "a", "c"] { try make(disk, name, "") }
            try expect(disk.list(.journal, "test.list"), is: ["a", "b", "c"])
            try expect(disk.list(.quarantine, "test.list").isEmpty)
            let free = try disk.freeBytes("test.free")
            expect(free > 0)
            // A file that exists is not created, and one that is not there is not read.
            try make(disk, "d", "0123456789")
            let file = StoredFile(.journal, "d")
            #expect(throws: DiskError("test.again", code: EEXIST)) {
                try disk.create(file, "test.again")
            }
            #expect(throws: DiskError("test.read", code: ENOENT)) {
                try disk.read(StoredFile(.journal, "e"), from: 0, count: 1, "test.read")
            }
            // Less is read only at the end.
            for (position, count, words) in [
                (0, 100, "0123456789"), (2, 3, "234"), (8, 9, "89"), (10, 9, ""), (99, 9, ""),
            ] {
                let found = try disk.read(file, from: position, count: count, "test.read")
                expect(found, is: Array(words.utf8))
            }
        }
    }

    @Test func `an open file is written to, measured and cut off`() throws {
        try onBoth { disk in
            let name = StoredFile(.journal, "a")
            let file = try disk.create(name, "test.create")
            defer { disk.close(file) }
            try disk.writeAll(Array("one".utf8), to: file, at: 0, "test.write")
            try disk.writeAll(Array("two".utf8), to: file, at: 3, "test.write")
            let count = try disk.write(Array("xyz".utf8), from: 1, to: file, at: 6, "test.write")
            expect(count, is: 2)
            try expect(disk.size(of: file, named: name, "test.size"), is: 8)
            try disk.truncate(file, to: 4, "test.truncate")
            try expect(disk.size(of: file, named: name, "test.size"), is: 4)
            try disk.writeAll(Array("!".utf8), to: file, at: 5, "test.write")
            try disk.sync(file, "test.sync")
            try expect(text(disk, "a"), is: "onet\0!")
            // By a name it is measured only if it has it.
            let other = StoredFile(.journal, "b")
            try make(disk, "b", "onet!")
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
    }

    @Test func `a file is overwritten whole or in part`() throws {
        try onBoth { disk in
            let name = StoredFile(.journal, "a")
            let file = try disk.create(name, "test.create")
            defer { disk.close(file) }
            for words in ["one", "two", "three", "one two three"] {
                try disk.writeAll(Array(words.utf8), to: file, at: 0, "test.write")
                try expect(text(disk, "a"), is: words)
            }
            try disk.write(Array("2nd".utf8), to: file, at: 4, "test.write")
            try expect(text(disk, "a"), is: "one 2nd three")
            try disk.write(Array("ee!".utf8), to: file, at: 11, "test.write")
            try expect(text(disk, "a"), is: "one 2nd three!")
            for (position, count, words) in [
                (4, 6, "2nd th"), (0, 3, "one"), (8, 99, "three!"), (14, 1, ""), (99, 1, ""),
            ] {
                let found = try disk.read(file, from: position, count: count, "test.read")
                expect(found, is: Array(words.utf8))
            }
            if disk is SystemDisk {
                #expect(throws: DiskError("test.read", code: EBADF)) {
                    try disk.read(FileNumber(value: -1), from: 0, count: 1, "test.read")
                }
            }
        }
    }

    @Test func `an open file goes with its name, and a name goes alone`() throws {
        try onBoth { disk in
            let (old, new) = (StoredFile(.journal, "a.tmp"), StoredFile(.journal, "a"))
            let file = try disk.create(old, "test.create")
            defer { disk.close(file) }
            try disk.move(old, to: new, "test.rename")
            try disk.syncFolder(.journal, "test.folder")
            try disk.writeAll(Array("after".utf8), to: file, at: 0, "test.append")
            try expect(disk.list(.journal, "test.list"), is: ["a"])
            try expect(text(disk, "a"), is: "after")
            try disk.unlink(new, "test.unlink")
            try expect(disk.list(.journal, "test.list").isEmpty)
            #expect(throws: DiskError("test.unlink", code: ENOENT)) {
                try disk.unlink(new, "test.unlink")
            }
        }
    }

    @Test func `what a real file system has besides`() throws {
        let disk = try systemDisk()
        let (old, new) = (StoredFile(.journal, "a.tmp"), StoredFile(.quarantine, "a"))
        // A folder is moved to another one.
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
        // A pipe is not waited for.
        let pipe = StoredFile(.journal, "pipe")
        expect(unsafe mkfifo(disk.path(pipe), 0o600), is: 0)
        #expect(throws: DiskError("test.read", code: ESPIPE)) {
            try disk.read(pipe, from: 0, count: 1, "test.read")
        }
        // A file is for nobody else, and a symbolic link to it is not followed.
        try make(disk, "target", "secret")
        let path = disk.path(StoredFile(.journal, "target"))
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
        expect(mode as? Int, is: 0o600)
        let link = StoredFile(.journal, "link")
        try FileManager.default.createSymbolicLink(
            atPath: disk.path(link), withDestinationPath: "target")
        #expect(throws: DiskError("test.read", code: ELOOP)) {
            try disk.read(link, from: 0, count: 1, "test.read")
        }
    }
}
