/// The effects that the core wants, collected over several inputs.
import Testing

@testable import BeemedDomain

struct EffectsTests {
    @Test func `what was taken is not taken again`() {
        var effects = Effects()
        effects.write(Record(1, .mark), isUrgent: true)
        effects.refuse(ReplyID(1), .diskFull)
        effects.emit(.wake(at: nil))
        expect(effects.takeReplies().map(\.replyID), is: [ReplyID(1)])
        expect(effects.takeOthers().count, is: 1)
        effects.dropRecords()
        expect(effects.takeReplies().isEmpty && effects.takeOthers().isEmpty)
        expect(effects.records.isEmpty && !effects.isUrgent)
    }
}
