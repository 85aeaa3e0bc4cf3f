/// What the core wants done, collected over several inputs.
import Testing

@testable import BeemedDomain

struct EffectsTests {
    private func mark(_ number: UInt64) -> Record { Record(SequenceNumber(number), .mark) }

    /// A turn may number presses, hear that an earlier batch found no room, and number records
    /// again from there: written together they would have a gap, which ends the program.
    @Test func `records that were numbered before a rejection are forgotten`() {
        var effects = Effects()
        effects.write(mark(7), epoch: 0, isUrgent: true)
        effects.write(mark(8), epoch: 0, isUrgent: false)
        effects.write(mark(5), epoch: 1, isUrgent: false)
        expect(effects.records, is: [mark(5)])
        expect(effects.epoch, is: 1)
        expect(!effects.isUrgent)
    }

    @Test func `what was taken is not taken again`() {
        var effects = Effects()
        effects.write(mark(1), epoch: 0, isUrgent: true)
        effects.refuse(ReplyID(1), .diskFull)
        effects.emit(.wake(at: nil))
        expect(effects.takeReplies().map(\.replyID), is: [ReplyID(1)])
        expect(effects.takeOthers().count, is: 1)
        effects.dropRecords()
        expect(effects.takeReplies().isEmpty && effects.takeOthers().isEmpty)
        expect(effects.records.isEmpty && !effects.isUrgent)
    }
}
