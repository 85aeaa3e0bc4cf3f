import Testing

@testable import BeemedDomain

/// Opens, and checks what holds whatever is damaged: no byte is lost (I5), nothing was made
/// up (I2), no event is there twice (I3), and a second start finds nothing more to say.
@discardableResult
func openAnyway(
    _ disk: SimulatedDisk, among offered: Set<String>? = nil
) throws -> JournalRig {
    let before = disk.totalBytes(.journal)
    let found = try Recovery.replay(disk)
    let bad = found.quarantine.reduce(0) { $0 + $1.range.count }
    let rig = try JournalRig(disk)
    expect(disk.totalBytes(.quarantine), is: bad)
    expect(found.recoveryReport.tornTailBytes + found.recoveryReport.damagedBytes, is: bad)
    expect(before - bad >= 0)
    expect(Set(rig.recovered.entries.map(\.event.key)).count, is: rig.recovered.entries.count)
    if let offered { expect(offered.isSuperset(of: rig.recovered.ids)) }
    expect(found.recoveryReport.isDamage, is: rig.recovered.recoveryReport.isDamage)
    disk.kill()
    let again = try JournalRig(disk)
    expect(again.recovered.ids, is: rig.recovered.ids)
    expect(again.recovered.recoveryReport.sentences.isEmpty)
    expect(again.next, is: rig.next)
    disk.kill()
    return rig
}
