import Foundation
import Testing

/// Which folder uses which, held to the list in ARCHITECTURE.md.
@Suite struct FolderTests {
    /// A folder below `Sources`, as `BeemedDomain/Journal`, and the folders that it uses.
    private typealias Arrows = [String: Set<String>]

    /// The code of a line: without its comment and the contents of its texts.
    private func code(_ line: Substring) -> String {
        let withoutTexts = line.replacing(#/"(?:\\.|[^"\\])*"/#, with: "\"\"")
        return String(withoutTexts.replacing(#/\/\/.*/#, with: ""))
    }

    private func folder(of file: SourceTree.File) -> String {
        file.path.split(separator: "/").dropFirst().dropLast().joined(separator: "/")
    }

    /// What the sources do: a folder uses another one of its target when it names a type that only
    /// the other one declares.
    private func found() throws -> Arrows {
        let files = try SourceTree.swiftFiles(below: "Sources")
        let declaration = try Regex(
            #"^(?:(?:package|public|internal|final|indirect|nonisolated) )*"#
                + #"(?:struct|class|enum|actor|protocol|typealias) (\w+)"#)
        var owners: [String: Set<String>] = [:]
        for file in files {
            for line in file.lines {
                guard let match = code(line).firstMatch(of: declaration),
                    let name = match.output[1].substring
                else { continue }
                owners[String(name), default: []].insert(folder(of: file))
            }
        }
        var arrows: Arrows = [:]
        for file in files {
            let from = folder(of: file)
            let text = file.lines.map { code($0) }.joined(separator: "\n")
            for word in Set(text.matches(of: #/\b[A-Z]\w*/#).map { String($0.output) }) {
                guard let owner = owners[word], owner.count == 1, let to = owner.first, to != from,
                    target(to) == target(from)
                else { continue }
                arrows[from, default: []].insert(to)
            }
        }
        return arrows
    }

    private func target(_ folder: String) -> Substring { folder.prefix { $0 != "/" } }

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
        let (found, allowed) = (try found(), try allowed())
        for folder in Set(found.keys).union(allowed.keys).sorted() {
            let (uses, may) = (found[folder] ?? [], allowed[folder] ?? [])
            #expect(uses.subtracting(may).sorted() == [], "\(folder) uses these")
            #expect(may.subtracting(uses).sorted() == [], "\(folder) does not use these any more")
        }
    }

    @Test(arguments: ["RelayHTTP", "BeemedDomain", "BeemedRelay"])
    func `no two folders need each other`(_ name: String) throws {
        let found = try found().filter { target($0.key) == name }
        var left = found
        // What uses nothing that is left is put away, until nothing is left or a circle is.
        while let folder = left.first(where: { $0.value.isDisjoint(with: left.keys) })?.key {
            left[folder] = nil
        }
        #expect(!found.isEmpty)
        #expect(left.keys.sorted() == [])
    }
}
