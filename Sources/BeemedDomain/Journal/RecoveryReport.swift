/// The findings of a start about the journal, for the log, for health and for `journal verify`.
package struct RecoveryReport: Sendable, Equatable {
    /// Bytes at the very end that a crash left incomplete. Their records were never confirmed.
    package internal(set) var tornTailBytes = 0
    /// Bytes that were complete once and are damaged now; they are in the quarantine folder.
    package internal(set) var damagedBytes = 0
    /// All bytes in the quarantine folder, of this start and earlier ones.
    package internal(set) var quarantinedBytes = 0
    /// Numbers of records that must have existed and are missing.
    package internal(set) var missing: [ClosedRange<UInt64>] = []
    /// Numbers of segments that must have existed and are missing.
    var missingSegments: [Int] = []
    /// Duplicate records; the second one was ignored.
    package internal(set) var repeated = 0
    /// Other inconsistencies, such as a snapshot or seal with a wrong line count.
    var anomalies: [String] = []
    /// Findings that a person may want to put in order, and that need no alarm.
    package internal(set) var remarks: [String] = []
    /// Whether the last shutdown was clean.
    package internal(set) var wasClosed = false
    /// Why no press is accepted for now: the disk is full, nearly full or read-only. Known events
    /// are delivered meanwhile.
    package internal(set) var obstacle: DiskError?

    /// A recovery that has found nothing.
    package init() {}

    /// Whether to alert a person.
    package var isAlarm: Bool { isDamage || obstacle != nil }

    /// Whether something was changed or lost since the last shutdown.
    package var isDamage: Bool {
        damagedBytes > 0 || !missing.isEmpty || !missingSegments.isEmpty || !anomalies.isEmpty
    }

    /// Adds a finding from outside of the journal about which a person must be told.
    package mutating func add(_ sentence: String) {
        anomalies.append(sentence)
    }

    /// The findings, one sentence each; empty without any.
    package var sentences: [String] {
        var all: [String] = []
        if tornTailBytes > 0 {
            all.append("\(tornTailBytes) bytes at the end were half written and never acknowledged")
        }
        if damagedBytes > 0 { all.append("\(damagedBytes) damaged bytes are put in quarantine") }
        for range in missing.prefix(RecoveryReport.maxNamed) {
            all.append(
                range.count == 1
                    ? "record \(range.lowerBound) is missing"
                    : "records \(range.lowerBound) to \(range.upperBound) are missing")
        }
        if missing.count > RecoveryReport.maxNamed {
            all.append(
                "records are missing in \(missing.count - RecoveryReport.maxNamed) more places")
        }
        if !missingSegments.isEmpty {
            let names = missingSegments.prefix(RecoveryReport.maxNamed).map(SegmentName.live)
            all.append(
                "\(missingSegments.count) segments are missing: \(names.joined(separator: ", "))")
        }
        if repeated > 0 { all.append("\(repeated) records came twice") }
        all += anomalies + remarks
        if let obstacle {
            all.append("nothing is accepted for now: \(obstacle)")
        }
        return all
    }

    /// The maximum number of items that are named; the others are counted.
    private static let maxNamed = 10

    mutating func lose(_ range: ClosedRange<UInt64>) {
        missing.append(range)
    }

    /// A record that was reported as missing may have been found later.
    ///
    /// - Returns: whether the record was missing.
    @discardableResult
    mutating func find(_ number: UInt64) -> Bool {
        guard let index = missing.lastIndex(where: { $0.contains(number) }) else { return false }
        let range = missing.remove(at: index)
        if number < range.upperBound { missing.insert((number + 1)...range.upperBound, at: index) }
        if number > range.lowerBound { missing.insert(range.lowerBound...(number - 1), at: index) }
        return true
    }
}
