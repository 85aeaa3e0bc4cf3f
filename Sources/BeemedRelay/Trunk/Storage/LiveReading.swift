package import BeemedDomain

/// Reads a journal that a relay may write meanwhile. What is read then need not be as it was at any
/// one time: a file may be retired, or be written where it was read already. So damage
/// counts only when it is found again and again.
package enum LiveReading {
    /// How often it is read at most.
    private static let attempts = 5

    /// - Parameters:
    ///   - mayChange: whether a relay is at work on it.
    ///   - read: reads all of it, with the list of its files.
    package static func report(
        whileWritten mayChange: () -> Bool, _ read: () throws(Failure) -> VerifyReport
    ) throws(Failure) -> VerifyReport {
        for _ in 1..<attempts {
            // Before and after: the relay may start or stop meanwhile.
            let mayHaveChanged = mayChange()
            let report = try read()
            let isDamaged = report.recoveryReport?.isDamage ?? true
            if !isDamaged || !(mayHaveChanged || mayChange()) { return report }
        }
        return try read()
    }
}
