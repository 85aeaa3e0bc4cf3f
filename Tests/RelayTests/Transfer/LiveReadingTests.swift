import BeemedDomain
import Testing

@testable import RelayTrunk

/// Damage in a journal that a relay may be writing counts only when it is found again and again.
struct LiveReadingTests {
    /// A report of damage, or of a journal without any.
    private func report(isDamaged: Bool) throws(Failure) -> VerifyReport {
        let folder = TemporaryFolder()
        _ = try RelayFolder(folder.path)
        do throws(DiskError) {
            let disk = try SystemDisk(dataFolder: folder.path)
            return Journal.inspect(disk, isUsed: isDamaged, known: nil)
        } catch { throw Failure(.osError, "\(error)") }
    }

    @Test func `it is read again while it looks damaged, five times at most`() throws {
        for damaged in 0...7 {
            var times = 0
            let found = try LiveReading.report(whileWritten: { true }) { () throws(Failure) in
                times += 1
                return try report(isDamaged: times <= damaged)
            }
            expect(times, is: min(damaged + 1, 5))
            expect(found.recoveryReport?.isDamage, is: (damaged >= 5))
        }
    }

    @Test func `what nobody writes is read once`() throws {
        var times = 0
        _ = try LiveReading.report(whileWritten: { false }) { () throws(Failure) in
            times += 1
            return try report(isDamaged: true)
        }
        expect(times, is: 1)
    }
}
