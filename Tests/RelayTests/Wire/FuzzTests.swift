import BeemedDomain
import Foundation
import Testing

@testable import RelayHTTP

/// Damages requests the way a hostile or broken client would.
private struct Mutator {
    private static let seeds = SpecCase.all.map(\.bytes).filter { $0.count <= 1_024 }
    private static let words = [
        "\r\n", "\r", "\n", "\0", " ", "\t", ":", ";", ",", "\"", "\\", "0", "1", "f", "\r\n\r\n",
        "HTTP/1.0", "HTTP/1.1", "GET / HTTP/1.1\r\nHost: a\r\n\r\n", "Content-Length: ",
        "Transfer-Encoding: chunked\r\n", "0\r\n\r\n", "Connection: close\r\n", "\u{fe}",
        "Expect: 100-continue\r\n", "99999999999999999999", "http://", "[::1]", "*",
    ].map { Array($0.utf8) }

    var random: Randomness

    /// A seed with one to four injuries.
    mutating func request() -> [UInt8] {
        var bytes = pick(Mutator.seeds)
        for _ in 0..<Int.random(in: 1...4, using: &random) { injure(&bytes) }
        return bytes
    }

    private mutating func injure(_ bytes: inout [UInt8]) {
        let start = Int.random(in: 0...bytes.count, using: &random)
        let end = min(bytes.count, start + Int.random(in: 0...12, using: &random))
        switch Int.random(in: 0..<6, using: &random) {
        case 0 where start < bytes.count:
            bytes[start] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1: bytes.removeSubrange(start..<end)
        case 2: bytes.insert(contentsOf: bytes[start..<end], at: start)
        case 3: bytes.insert(contentsOf: pick(Mutator.words), at: start)
        case 4: bytes.replaceSubrange(start..<end, with: pick(Mutator.words))
        default: bytes.replaceSubrange(start..., with: pick(Mutator.seeds).suffix(start))
        }
    }

    private mutating func pick(_ list: [[UInt8]]) -> [UInt8] {
        list[Int.random(in: 0..<list.count, using: &random)]
    }
}

struct FuzzTests {
    /// `SEED=42 swift test --filter FuzzTests` tries other requests than those of every run.
    private static let seed = ProcessInfo.processInfo.environment["SEED"].flatMap(UInt64.init) ?? 1

    @Test(arguments: [UInt64](0..<(Thorough.isEveryPlace ? 8 : 4)))
    func `reads whatever comes the same in every cut, and answers each request once`(
        _ part: UInt64
    ) {
        var mutator = Mutator(random: Randomness(seed: FuzzTests.seed &* 1_000 &+ part))
        var limits = Limits()
        if part % 2 == 1 {
            limits.headBytes = 120
            limits.requestLineBytes = 40
            limits.fieldCount = 4
            limits.bodyBytes = 12
            limits.chunkLineBytes = 16
        }
        for _ in 0..<1_000 {
            let bytes = mutator.request()
            let cuts = (0..<3).map { _ in Int.random(in: 0...bytes.count, using: &mutator.random) }
            if let complaint = Oracle.complaint(about: bytes, cuts: cuts, limits: limits) {
                Issue.record("SEED=\(FuzzTests.seed): \(quoted(bytes)): \(complaint)")
                return
            }
        }
    }
}
