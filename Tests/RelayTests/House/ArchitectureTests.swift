import Foundation
import Testing

/// ARCHITECTURE.md tells the life of one press in seven lines; they must be true.
@Suite struct ArchitectureTests {
    @Test func `the seven steps name functions where they are`() throws {
        let text = try SourceTree.file("ARCHITECTURE.md")
        let steps = text.lines.filter { line in
            line.first?.isNumber == true && line.dropFirst().hasPrefix(". `")
        }
        #expect(steps.count == 7)
        for step in steps {
            let quoted = step.split(separator: "`").map(String.init)
            let function = try #require(quoted.dropFirst().first)
            let path = try #require(quoted.first { $0.hasPrefix("Sources/") })
            let file = try SourceTree.file(path)
            #expect(file.text.contains("func \(function)("), "\(function) in \(path)")
        }
    }
}
