import Foundation
import Testing

/// Which folder uses which, held to the list in ARCHITECTURE.md.
@Suite struct FolderTests {
    /// A folder below `Sources`, as `BeemedDomain/Journal`, and the folders that it uses.
    private typealias Arrows = [String: Set<String>]

    /// The words of a line's code: not those of its comment, nor of its texts.
    private static func words(_ line: Substring) -> [Substring.UTF8View.SubSequence] {
        var words: [Substring.UTF8View.SubSequence] = []
        var rest = line.utf8
        while let first = rest.first {
            if rest.starts(with: "//".utf8) { break }
            if first == UInt8(ascii: "\"") {
                rest = rest.dropFirst()
                while let byte = rest.first, byte != UInt8(ascii: "\"") {
                    rest = rest.dropFirst(byte == UInt8(ascii: "\\") ? 2 : 1)
                }
                rest = rest.dropFirst()
                continue
            }
            let word = rest.prefix { isOfWord($0) }
            if !word.isEmpty { words.append(word) }
            rest = rest.dropFirst(max(1, word.count))
        }
        return words
    }

    private static func isOfWord(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F: true
        default: false
        }
    }

    /// What an unindented line declares for other files; nil when it declares no type.
    private static func declared(_ words: [String]) -> String? {
        let kinds: Set = ["struct", "class", "enum", "actor", "protocol", "typealias"]
        guard let place = words.firstIndex(where: { kinds.contains($0) }), place < 3,
            place + 1 < words.count, !words[..<place].contains(where: { $0.hasSuffix("private") }),
            !words[..<place].contains("extension")
        else { return nil }
        return words[place + 1]
    }

    private static func folder(of file: SourceTree.File) -> String {
        let folder = file.path.split(separator: "/").dropFirst().dropLast()
        // Targets of their own.
        if folder.starts(with: ["BeemedRelay", "Simulator"]) { return "BeeminderSimulator" }
        let isTrunk = folder.starts(with: ["BeemedRelay", "Trunk"])
        return (isTrunk ? ["RelayTrunk"] + folder.dropFirst(2) : folder).joined(separator: "/")
    }

    /// What the sources do: a folder uses another one of its target when it names a type that only
    /// the other one declares.
    private static let found: Result<Arrows, any Error> = Result {
        let files = try SourceTree.swiftFiles(below: "Sources").map { file in
            (
                folder: folder(of: file),
                lines: file.lines.map { line in
                    (
                        isIndented: line.first == " ",
                        words: words(line).map { String(Substring($0)) }
                    )
                }
            )
        }
        var owners: [String: Set<String>] = [:]
        for file in files {
            for line in file.lines where !line.isIndented {
                if let name = declared(line.words) { owners[name, default: []].insert(file.folder) }
            }
        }
        var arrows: Arrows = [:]
        for file in files {
            for word in Set(file.lines.lazy.flatMap(\.words)) {
                guard let owner = owners[word], owner.count == 1, let to = owner.first,
                    to != file.folder, target(to) == target(file.folder)
                else { continue }
                arrows[file.folder, default: []].insert(to)
            }
        }
        return arrows
    }

    private static func target(_ folder: String) -> Substring { folder.prefix { $0 != "/" } }

    /// What ARCHITECTURE.md allows, a folder a line: `Folder -> Other, Another`.
    private func allowed() throws -> Arrows {
        var arrows: Arrows = [:]
        var target = ""
        for line in try SourceTree.file("ARCHITECTURE.md").lines {
            if let match = line.wholeMatch(of: #/In `(\w+)`:/#) { target = String(match.output.1) }
            guard let match = line.wholeMatch(of: #/ {4}([\w\/]+) +-> (.+)/#) else { continue }
            let others = match.output.2.split(separator: ", ").map { "\(target)/\($0)" }
            arrows["\(target)/\(match.output.1)"] = Set(others)
        }
        return arrows
    }

    @Test func `a folder uses only those that ARCHITECTURE.md says, and all of them`() throws {
        let (found, allowed) = (try FolderTests.found.get(), try allowed())
        for folder in Set(found.keys).union(allowed.keys).sorted() {
            let (uses, may) = (found[folder] ?? [], allowed[folder] ?? [])
            #expect(uses.subtracting(may).sorted() == [], "\(folder) uses these")
            #expect(may.subtracting(uses).sorted() == [], "\(folder) does not use these any more")
        }
    }

    @Test(arguments: ["RelayHTTP", "BeemedDomain", "RelayTrunk", "BeemedRelay"])
    func `no two folders need each other`(_ name: String) throws {
        let found = try FolderTests.found.get().filter { FolderTests.target($0.key) == name }
        var left = found
        // What uses nothing that is left is put away, until nothing is left or a circle is.
        while let folder = left.first(where: { $0.value.isDisjoint(with: left.keys) })?.key {
            left[folder] = nil
        }
        #expect(!found.isEmpty)
        #expect(left.keys.sorted() == [])
    }
}
