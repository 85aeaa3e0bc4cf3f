import Testing

@testable import RelayHTTP

extension SpecCase: CustomTestStringConvertible {
    var testDescription: String { "\(file): \(title)" }
}

struct ConformanceTests {
    @Test(arguments: SpecCase.all)
    func `reads every case the same whole, byte by byte and cut anywhere`(_ spec: SpecCase) throws {
        let expected = spec.expected.normalized
        var whole = Reading(like: expected)
        whole.feed(spec.bytes[...])
        expect(whole.result, is: expected, "whole")

        var bytewise = Reading(like: expected)
        for offset in spec.bytes.indices {
            if isCut(offset, of: spec.bytes.count) {
                var fork = bytewise
                fork.feed(spec.bytes[offset...])
                guard fork.result == expected
                else { throw Unexpected("cut at \(offset): \(fork.result)") }
            }
            bytewise.feed(spec.bytes[offset...offset])
        }
        expect(bytewise.result, is: expected, "byte by byte")
        expect(bytewise.maxBuffered <= 65_536)
    }

    /// Everywhere, but for the few cases of many kilobytes; in a run that is not CI's at each fifth
    /// byte, which is another one for a case of another length.
    private func isCut(_ offset: Int, of count: Int) -> Bool {
        guard Thorough.isEveryPlace || (offset + count) % 5 == 0 else { return false }
        return count <= 1_024 || offset < 64 || offset > count - 64 || offset % 997 == 0
    }

    @Test func `refuses at least as often as it accepts`() {
        let refused = SpecCase.all.count { $0.expected.end.first?.isNumber == true }
        expect(SpecCase.all.count >= 350)
        expect(refused * 2 >= SpecCase.all.count)
    }

    @Test func `has a case for every fault of bytes alone`() {
        let named = Set(SpecCase.all.compactMap { $0.expected.end.split(separator: " ").last })
        let missing = ParseError.allCases.map { "\($0)" }.filter { !named.contains($0[...]) }
        // The others are found by the connection, by time, or in the test below.
        let others = ["lengthRequired", "contentBeyondLength", "contentAfterAnswer"]
        expect(missing, is: ["tooManyChunks", "headTimeout", "bodyTimeout"] + others + ["noRoom"])
    }

    @Test func `takes ordinary content byte by byte, and large content in as many chunks`() {
        var limits = Limits()
        limits.bodyBytes = 1 << 20
        let head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
        for (chunks, end) in [(65_535, ""), (65_536, "413 tooManyChunks")] {
            var reading = Reading(limits: limits)
            let content = String(repeating: "1\r\nx\r\n", count: chunks)
            reading.feed(Array("\(head)\(content)0\r\n\r\n".utf8)[...])
            expect(reading.result.end, is: end, "\(chunks) chunks")
        }
    }
}
