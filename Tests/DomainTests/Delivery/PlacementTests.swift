import Testing

@testable import BeemedDomain

/// The rule of delivery lives whole lives against a Beeminder that applies requests up to two
/// minutes late, loses answers, and refuses contents, while a user adds, undoes, moves, and edits.
struct PlacementTests {
    private typealias Content = Placement.Content

    private func at(_ seconds: Int64) -> Monotonic { Monotonic(milliseconds: seconds * 1_000) }
    private let five = Content(value: 5, comment: "")
    private let six = Content(value: 6, comment: "")

    @Test func `what was never sent is requested, and what is confirmed is left alone`() {
        var place = Placement.absent
        expect(place.step(toward: five, at: at(0)), is: .request)
        expect(place.step(toward: nil, at: at(0)), is: .rest)
        place.confirm(five, sent: at(1))
        expect(place.step(toward: five, at: at(1)), is: .rest)
        expect(place.step(toward: six, at: at(1)), is: .request)
    }

    @Test func `a deletion is final only when no create can come behind it`() {
        var place = Placement.absent
        place.recordUnanswered(five, at: at(10))
        expect(place.step(toward: nil, at: at(11)), is: .request)
        place.confirm(nil, sent: at(11))
        expect(place.step(toward: nil, at: at(12)), is: .wait(until: at(130)))
        expect(place.isKnownAbsent && !place.isFinal(nil))
        place.confirm(nil, sent: at(129))
        expect(place.step(toward: nil, at: at(130)), is: .request)
        place.confirm(nil, sent: at(130))
        expect(place.step(toward: nil, at: at(130)), is: .rest)
    }

    @Test func `the same content without an answer is no doubt, another one is`() {
        var place = Placement.absent
        place.recordUnanswered(five, at: at(0))
        place.confirm(five, sent: at(5))
        expect(place.isFinal(five))
        place.recordUnanswered(six, at: at(10))
        place.confirm(six, sent: at(20))
        expect(place.step(toward: six, at: at(20)), is: .wait(until: at(130)))
    }

    @Test func `an earlier process may have sent anything, or the only content that there was`() {
        var place = Placement.unknown(until: at(120))
        place.confirm(five, sent: at(1))
        expect(!place.isFinal(five))
        place = Placement.unknown(until: at(120), besides: five)
        place.confirm(five, sent: at(1))
        expect(place.isFinal(five))
        place.confirm(nil, sent: at(2))
        expect(place.step(toward: nil, at: at(3)), is: .wait(until: at(120)))
    }

    @Test func `an archived goal is not asked before a list has it`() {
        var place = Placement.unknown
        place.isOutOfReach = true
        expect(place.step(toward: nil, at: at(0)), is: .rest)
        place.isOutOfReach = false
        expect(place.step(toward: nil, at: at(0)), is: .request)
    }

    @Test func `every life ends right, and says nothing too early`() {
        for seed in SimulationTests.seeds {
            let end = DatapointLife.run(seed: seed)
            expect(end == nil, "SEED=\(seed): \(end ?? "")")
        }
    }

    @Test(arguments: DatapointLife.Fault.allCases)
    func `lives without a part of the rule go wrong`(_ fault: DatapointLife.Fault) {
        var wrong = 0
        for seed in 0..<500 as Range<UInt64> where wrong <= 5 {
            if DatapointLife.run(seed: seed, without: fault) != nil { wrong += 1 }
        }
        expect(wrong > 5, "\(fault) is not seen")
    }
}
