/// What a start found in the journal, for the log, for health and for `journal verify`.
package struct RecoveryReport: Sendable, Equatable {
    /// Bytes at the very end that a crash left half written. Nobody was told that they were kept.
    package internal(set) var tornTailBytes = 0
    /// Bytes that were whole once and are not any more; they are in the quarantine folder.
    package internal(set) var damagedBytes = 0
    /// All bytes in the quarantine folder, of this start and earlier ones.
    package internal(set) var quarantinedBytes = 0
    /// Records that must have been there and are not, by number.
    package internal(set) var missing: [ClosedRange<UInt64>] = []
    /// Files that must have been there and are not, by number.
    package internal(set) var missingSegments: [Int] = []
    /// Records that came twice; the second was left out.
    package internal(set) var repeated = 0
    /// A snapshot or a seal that counts other lines than there are, and whatever else cannot be.
    package internal(set) var anomalies: [String] = []
    /// Whether the last shutdown was clean.
    package internal(set) var wasClosed = false
    /// Why nothing is accepted for now: the disk is full, or nearly, or read-only. What is known is
    /// delivered meanwhile.
    package internal(set) var obstacle: DiskError?

    /// Whether a person should be told.
    package var isAlarm: Bool { isDamage || obstacle != nil }

    /// Whether something is not as it was left.
    package var isDamage: Bool {
        damagedBytes > 0 || !missing.isEmpty || !missingSegments.isEmpty || !anomalies.isEmpty
    }

    /// Notes something that a person should be told, and that is not in the journal itself.
    package mutating func add(_ sentence: String) {
        anomalies.append(sentence)
    }

    /// In words, a sentence each; empty when there is nothing to say.
    package var sentences: [String] {
        var all: [String] = []
        if tornTailBytes > 0 {
            all.append("\(tornTailBytes) bytes at the end were half written and never acknowledged")
        }
        if damagedBytes > 0 { all.append("\(damagedBytes) damaged bytes are put in quarantine") }
        for range in missing.prefix(RecoveryReport.mostNamed) {
            all.append(
                range.count == 1
                    ? "record \(range.lowerBound) is missing"
                    : "records \(range.lowerBound) to \(range.upperBound) are missing")
        }
        if missing.count > RecoveryReport.mostNamed {
            all.append(
                "records are missing in \(missing.count - RecoveryReport.mostNamed) more places")
        }
        if !missingSegments.isEmpty {
            let names = missingSegments.prefix(RecoveryReport.mostNamed).map(SegmentName.live)
            all.append(
                "\(missingSegments.count) segments are missing: \(names.joined(separator: ", "))")
        }
        if repeated > 0 { all.append("\(repeated) records came twice") }
        all += anomalies
        if let obstacle {
            all.append("nothing is accepted for now: \(obstacle)")
        }
        return all
    }

    /// So many places are named, and the rest is counted.
    private static let mostNamed = 10

    mutating func lose(_ range: ClosedRange<UInt64>) {
        missing.append(range)
    }

    /// A record that was thought missing has come after all.
    mutating func find(_ number: UInt64) {
        guard let index = missing.lastIndex(where: { $0.contains(number) }) else { return }
        let range = missing.remove(at: index)
        if number < range.upperBound { missing.insert((number + 1)...range.upperBound, at: index) }
        if number > range.lowerBound { missing.insert(range.lowerBound...(number - 1), at: index) }
    }
}
