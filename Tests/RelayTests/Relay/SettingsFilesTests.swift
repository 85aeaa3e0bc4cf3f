import Dispatch
import Synchronization
import Testing

@testable import RelayTrunk

/// The small files are saved in order, and of each the latest state.
struct SettingsFilesTests {
    private let folder = TemporaryFolder()

    /// Words for what was done, in order.
    private final class Record: Sendable {
        private let words = Mutex<[String]>([])

        var all: [String] { words.withLock(\.self) }

        func add(_ word: String) { words.withLock { $0.append(word) } }
    }

    @Test func `of the states of a file that wait for the disk the latest is saved, for all`() {
        let files = SettingsFiles(RelayStore(folder: folder.path), .silent)
        let (record, gate) = (Record(), DispatchSemaphore(value: 0))
        func save(_ file: DataFile, _ state: Int, isGood: Bool = true) {
            files.save(
                file,
                { _, _ in
                    record.add("\(file) \(state)")
                    return isGood
                }, then: { record.add("\(state) \($0)") })
        }
        files.add { _, _ in _ = gate.awaitSignal() }
        for state in 1...3 { save(.devices, state) }
        save(.pins, 4)
        // Behind that nothing joins what comes before.
        files.add { _, _ in record.add("takeover") }
        save(.pins, 5)
        save(.pins, 6, isGood: false)
        gate.signal()
        files.finish()
        let before: Set = ["devices 3", "1 true", "2 true", "3 true", "pins 4", "4 true"]
        expect(Set(record.all.prefix(6)), is: before)
        expect(
            Array(record.all.dropFirst(6)), is: ["takeover", "pins 6", "5 false", "6 false"])
        expect(files.isUnsaved(.pins) && !files.isUnsaved(.devices))
        save(.pins, 7)
        files.finish()
        expect(!files.isUnsaved(.pins))
    }
}
