import Foundation
import RelayHTTP
import Testing

@testable import RelayTrunk

/// openapi.yaml and the routes say the same, both ways.
struct ContractTests {
    /// Paths and methods of the contract, read from its indentation: two blanks a path, four a
    /// method.
    private func contract() throws -> [String: Set<String>] {
        var paths: [String: Set<String>] = [:]
        var path: String?
        var isInside = false
        for line in try SourceTree.file("openapi.yaml").lines {
            if !line.hasPrefix(" ") { isInside = line == "paths:" }
            guard isInside else { continue }
            if line.hasPrefix("  /"), line.hasSuffix(":") {
                path = String(line.dropFirst(2).dropLast())
            } else if let path, line.hasPrefix("    "), !line.hasPrefix("     ") {
                let word = line.dropFirst(4).prefix { $0 != ":" }
                guard word != "parameters" else { continue }
                paths[path, default: []].insert(word.uppercased())
            }
        }
        return paths
    }

    @Test func `the routes and the contract have the same paths and methods`() throws {
        let routes = RouteTable.relay.paths.map { path in
            ("\(path.pattern)", Set(path.methods.map(\.token)))
        }
        expect(Dictionary(routes) { $1 }, is: (try contract()))
    }

    @Test func `every error code is in the contract, and no other`() throws {
        let lines = try SourceTree.file("openapi.yaml").lines
        let schema = try require(lines.firstIndex(of: "    ErrorCode:"))
        let list = lines[(schema + 1)...].prefix { $0.hasPrefix("      ") }
        let codes = list.filter { $0.hasPrefix("        - ") }.map { String($0.dropFirst(10)) }
        expect(codes, is: ErrorCode.allCases.map(\.rawValue))
    }

    @Test func `the contract's days of health data are those of the calendar`() throws {
        let lines = try SourceTree.file("openapi.yaml").lines
        let start = try require(lines.firstIndex(of: "    HealthValue:"))
        let patterns = lines[start...].prefix(22).filter { $0.contains("pattern:") }.map { line in
            line.components(separatedBy: "\"")[1]
        }
        try require(patterns.count == 3)
        for (index, pattern) in patterns.enumerated() {
            let expression = try Regex(pattern)
            for (day, isOne) in [
                ("2026-01-31", true), ("2026-03-29", true), ("2026-04-30", true),
                ("2026-12-31", true),
                ("2024-02-29", true), ("2028-02-29", true), ("2000-02-29", true),
                ("2026-02-28", true),
                ("2026-04-31", false), ("2026-02-29", false), ("2030-02-29", false),
                ("2026-02-30", false), ("2026-13-01", false), ("2026-00-10", false),
                ("2026-01-00", false), ("2026-01-32", false), ("2026-1-1", false),
            ] {
                for clock in index == 0 ? [""] : ["T00:00:00Z", "T23:59:59Z"] {
                    let isMatch = try expression.wholeMatch(in: day + clock) != nil
                    expect(isMatch, is: isOne, "\(day)\(clock)")
                }
            }
        }
    }
}
