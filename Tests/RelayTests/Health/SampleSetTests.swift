import Testing

@testable import RelayHealth

/// Which samples of a day replace each other, and which are added.
struct SampleSetTests {
    private static let rule = HealthRule(metric: "steps", goal: "water")
    private var set = SampleSet(for: rule)

    private func sample(
        _ value: Double, at start: Int64, from source: String, _ role: HealthSample.Role = .sample
    ) -> SampleSet.Stored {
        SampleSet.Stored(start: start, end: start, source: source, value: value, role: role)
    }

    private mutating func add(
        _ value: Double, at start: Int64 = 0, from source: String,
        _ role: HealthSample.Role = .sample
    ) throws {
        let isAdded = set.add([sample(value, at: start, from: source, role)])
        try require(isAdded)
    }

    @Test mutating func `samples of sources are added or replace each other`() throws {
        // Sources of one moment are added.
        try add(1, from: "Watch")
        try add(2, from: "iPhone")
        try add(4, from: "")
        expect(set.value(.sum), is: 7)
        // Joined sources replace each of them, and one of them replaces the joined.
        for joined in ["Watch|iPhone", "iPhone|Watch", "Watch|iPhone|Ring"] {
            set = SampleSet(for: Self.rule)
            try add(100, from: "Watch")
            try add(50, from: "iPhone")
            try add(7, at: 3_600, from: "Watch")
            try add(300, from: joined)
            expect(set.value(.sum), is: 307, "\(joined)")
            try add(310, from: joined)
            expect(set.value(.sum), is: 317, "\(joined)")
            try add(120, from: "iPhone")
            expect(set.value(.sum), is: 127, "\(joined)")
            expect(set.samples.count, is: 2, "\(joined)")
        }
        // The day of a source takes the place of its samples alone.
        set = SampleSet(for: Self.rule)
        try add(1, from: "Watch")
        try add(2, at: 60, from: "Watch")
        try add(4, from: "Ring")
        try add(10, from: "Watch", .dayOfSource)
        try add(3, at: 90, from: "Watch")
        expect(set.value(.sum), is: 14)
        try add(20, from: "Watch", .day)
        expect(set.value(.sum), is: 20)
    }

    @Test mutating func `what was replaced gives room`() throws {
        let starts = 0..<Int64(SampleSet.maxSamples)
        let areAdded = set.add(starts.map { sample(1, at: $0, from: "Watch") })
        let areReplaced = set.add(starts.map { sample(2, at: $0, from: "Watch|iPhone") })
        expect(areAdded && areReplaced)
        expect(set.value(.sum), is: Double(2 * SampleSet.maxSamples))
        let isAdded = set.add([sample(1, at: -1, from: "Watch")])
        expect(!isAdded)
    }
}
