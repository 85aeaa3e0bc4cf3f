import Foundation
import RelayHTTP
import Testing

@testable import BeemedRelay

/// openapi.yaml and the routes say the same, both ways.
@Suite struct ContractTests {
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

    @Test func `every path of the contract is a route with the same methods`() throws {
        let contract = try contract()
        #expect(contract.count >= 8)
        for (path, methods) in contract {
            let example = path.replacingOccurrences(of: "{goal}", with: "water")
                .replacingOccurrences(of: "{id}", with: "a-1")
                .replacingOccurrences(of: "{name}", with: "esp32")
                .replacingOccurrences(of: "{file}", with: "press.sh")
            let resource = try #require(Resource(path: example), "\(path)")
            #expect("\(resource.route)" == path)
            #expect(Set(resource.methods.map(\.token)) == methods, "\(path)")
        }
    }

    @Test func `every route is in the contract`() throws {
        let all: [Resource] =
            [
                .log(goal: nil), .log(goal: "water"), .trigger(goal: "water"),
                .undo(goal: "water"), .events,
                .event(id: "a"), .retry(event: "a"), .goals, .goalRefresh, .pins,
                .pin(goal: "a"), .healthData, .seenMetrics, .rules, .rule(name: "a"), .presets,
                .preset(name: "a"),
                .context, .contextStream, .export, .importing, .flush,
                .connection, .oauthStart, .oauthCallback, .devices, .device(name: "a"),
                .rotation(device: "a"), .expectation(device: "a"),
                .goalReminder(goal: "a"),
                .reminders(.all), .reminders(.services), .reminders(.service(name: "a")),
                .reminders(.test), .reminders(.snooze), .home, .page(file: "a"), .recipe(file: "a"),
                .login,
                .logout, .sessions, .ownerLink, .qrCode, .requests,
                .metrics, .settings, .healthCheck, .ready,
            ] + Manual.Part.allCases.map(Resource.manual)
        #expect(Set(all.map { "\($0.route)" }) == Set(try contract().keys))
        #expect(Set(all.map { "\($0)".prefix { $0 != "(" } }) == Set(try declaredCases()))
    }

    /// The names of the cases of `Resource`.
    private func declaredCases() throws -> [Substring] {
        try SourceTree.file("Sources/BeemedRelay/Paths/Resource.swift").lines
            .filter { $0.hasPrefix("    case ") }
            .map { $0.dropFirst(9).prefix { $0 != "(" } }
    }

    @Test func `every error code is in the contract, and no other`() throws {
        let lines = try SourceTree.file("openapi.yaml").lines
        let schema = try #require(lines.firstIndex(of: "    ErrorCode:"))
        let list = lines[(schema + 1)...].prefix { $0.hasPrefix("      ") }
        let codes = list.filter { $0.hasPrefix("        - ") }.map { String($0.dropFirst(10)) }
        #expect(codes == ErrorCode.allCases.map(\.rawValue))
    }

    @Test func `the contract's days of health data are those of the calendar`() throws {
        let lines = try SourceTree.file("openapi.yaml").lines
        let start = try #require(lines.firstIndex(of: "    HealthValue:"))
        let patterns = lines[start...].prefix(22).filter { $0.contains("pattern:") }.map { line in
            line.components(separatedBy: "\"")[1]
        }
        try #require(patterns.count == 3)
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
                    #expect(isMatch == isOne, "\(day)\(clock)")
                }
            }
        }
    }
}
