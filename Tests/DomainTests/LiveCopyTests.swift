import Foundation
import Testing

@testable import BeemedDomain

/// Copies of the folder that are made while a relay works on it: `cp -r` and `tar` list the names
/// first and read the files one after the other, and the relay does not wait for them.
struct LiveCopyTests {
    /// The files that a copy would find at one instant, and the events promised until then.
    private struct Instant {
        var files: [StoredFile: [UInt8]]
        var promised: [String]
    }

    /// A start and retirements, up to that call of the disk.
    private func life(_ base: SimulatedDisk, calls: Int) -> (Instant, isOver: Bool) {
        let disk = base.copy()
        disk.cutPower(atCall: calls, after: true)
        var promised = ["a", "b", "c", "d", "e"]
        if var rig = try? JournalRig(disk, limits: .small) {
            for id in ["f", "g", "h", "i", "j", "k"] {
                guard (try? rig.put(id)) != nil else { break }
                promised.append(id)
            }
            for number in 1...9 as ClosedRange<UInt64> {
                _ = try? rig.commit(
                    .done(of: SequenceNumber(number), how: .created, datapoint: nil))
            }
            try? rig.rotate(events: 1)
            if (try? rig.put("l")) != nil { promised.append("l") }
        }
        var files: [StoredFile: [UInt8]] = [:]
        for folder in StoredFile.Folder.allCases {
            for name in disk.names(folder) {
                let file = StoredFile(folder, name)
                files[file] = disk.bytes(file)
            }
        }
        return (Instant(files: files, promised: promised), !disk.isOff)
    }

    @Test func `a copy made meanwhile holds all that was promised before it began`() throws {
        var rig = try JournalRig(limits: .small)
        try rig.put("a", "b", "c", "d", "e")
        rig.disk.kill()
        var instants: [Instant] = []
        while true {
            let (instant, isOver) = life(rig.disk, calls: instants.count + 1)
            instants.append(instant)
            if isOver { break }
        }
        expect(instants.count > 60)
        expect(instants.last?.promised.count, is: 12)
        var chance = Randomness(seed: 18)
        for start in instants.indices {
            for _ in 0..<(Thorough.isEveryPlace ? 12 : 1) {
                let copy = self.copy(of: instants, from: start, &chance)
                let kept = Set(try copy.allIDs)
                let missing = instants[start].promised.filter { !kept.contains($0) }
                expect(missing.isEmpty, "a copy begun at call \(start + 1)")
            }
        }
    }

    /// A walk through the folder that begins at one instant and takes its time.
    private func copy(
        of instants: [Instant], from start: Int, _ chance: inout Randomness
    ) -> SimulatedDisk {
        let disk = SimulatedDisk()
        var time = start
        // The names as a directory has them: in any order.
        for file in instants[start].files.keys.sorted(by: { "\($0)" < "\($1)" })
            .shuffled(using: &chance)
        {
            let last = min(instants.count - 1, time + Int.random(in: 0...30, using: &chance))
            time = Int.random(in: time...last, using: &chance)
            if let bytes = instants[time].files[file] { disk.put(file, bytes) }
        }
        return disk
    }
}
