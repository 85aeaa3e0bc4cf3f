/// Whoever waits for the disk in place must be the only one who waits.
import Testing

@testable import BeemedDomain

@Suite struct PaceTests {
    private func proven() -> Pace {
        var pace = Pace()
        for _ in 0..<Pace.enough { pace.note(seconds: 0.0001, isAlone: true) }
        return pace
    }

    @Test func `quick and lonely batches in a row are proof`() {
        var pace = Pace()
        for _ in 1..<Pace.enough {
            pace.note(seconds: 0.0001, isAlone: true)
            #expect(!pace.isInPlace)
        }
        pace.note(seconds: 0.0001, isAlone: true)
        #expect(pace.isInPlace)
    }

    @Test(arguments: [(0.0001, false), (0.01, true), (0.01, false)])
    func `one slow or joined batch begins the proof anew`(_ seconds: Double, _ isAlone: Bool) {
        var pace = Pace()
        for _ in 1..<Pace.enough { pace.note(seconds: 0.0001, isAlone: true) }
        pace.note(seconds: seconds, isAlone: isAlone)
        pace.note(seconds: 0.0001, isAlone: true)
        #expect(!pace.isInPlace)
    }

    @Test func `one slow batch in place is the last one for a while`() {
        var pace = proven()
        pace.noteInPlace(seconds: 0.0001)
        #expect(pace.isInPlace)
        pace.noteInPlace(seconds: 0.3)
        #expect(!pace.isInPlace)
    }

    @Test func `the proof is good for a term`() {
        var pace = proven()
        for _ in 0..<Pace.term {
            #expect(pace.isInPlace)
            pace.noteInPlace(seconds: 0.0001)
        }
        #expect(!pace.isInPlace)
    }
}
