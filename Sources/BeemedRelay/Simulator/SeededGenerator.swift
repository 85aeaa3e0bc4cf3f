/// Reproducible random numbers (SplitMix64, Steele, Lea and Flood 2014), so that a run with random
/// faults can be repeated.
struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// Creates ids in the form of a Mongo ObjectId: 8 hex digits of time, 10 of the machine, 6 of a
/// counter. They increase, so `sort=id` means newest first.
struct ObjectIDs: Sendable {
    private let machine: String
    private var counter: UInt64

    /// The ids for that seed.
    init(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        machine = ObjectIDs.hex(generator.next(), digits: 10)
        counter = generator.next() & 0x0F_FFFF
    }

    /// An id created at that second.
    mutating func make(at unixSeconds: Int) -> String {
        counter += 1
        return ObjectIDs.hex(UInt64(clamping: unixSeconds), digits: 8) + machine
            + ObjectIDs.hex(counter, digits: 6)
    }

    private static func hex(_ number: UInt64, digits: Int) -> String {
        let text = String(number, radix: 16)
        return String(repeating: "0", count: max(0, digits - text.count)) + text.suffix(digits)
    }
}
