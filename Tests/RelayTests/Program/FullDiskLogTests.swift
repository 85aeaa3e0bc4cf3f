import BeemedDomain
import Foundation
import Testing

@testable import RelayTrunk

/// The log of a relay whose disk is full: the log may be on the same disk.
struct FullDiskLogTests {
    @Test func `refused presses fill no log`() async {
        await #expect(processExitsWith: .success) {
            Signals.prepare()
            let lines = WrittenLines()
            let folder = TemporaryFolder()
            let relay = try RunningRelayProgram(in: folder, log: lines.log)
            try expect(relay.call("POST", "/log/water", "1").status, is: 200)
            try require(FileSizeLimit.set(to: 3_000))
            let body = #"{"comment":"\#(String(repeating: "x", count: 4_000))"}"#
            for _ in 0..<20 {
                try expect(relay.call("POST", "/log/water", body).status, is: 507)
            }
            let count = lines.count(of: "nothing of the batch was taken")
            expect((1...10).contains(count), "\(count)")
        }
    }
}
