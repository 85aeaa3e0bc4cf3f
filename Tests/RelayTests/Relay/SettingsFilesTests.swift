import Synchronization
import Testing

@testable import RelayTrunk

/// The small files are saved in order.
struct SettingsFilesTests {
    private let folder = TemporaryFolder()

    /// Words for what was done, in order.
    private final class Record: Sendable {
        private let words = Mutex<[String]>([])

        var all: [String] { words.withLock(\.self) }

        func add(_ word: String) { words.withLock { $0.append(word) } }
    }

    @Test func `states of files are saved in order, and what could not be is known`() {
        let files = SettingsFiles(RelayStore(folder: folder.path), .silent)
        let record = Record()
        func save(_ file: DataFile, _ state: Int, isGood: Bool = true) {
            files.save(
                file,
                { _, _ in
                    record.add("\(file) \(state)")
                    return isGood
                }, then: { record.add("\(state) \($0)") })
        }
        save(.devices, 1)
        files.add { _, _ in record.add("takeover") }
        save(.pins, 2, isGood: false)
        save(.goals, 3, isGood: false)
        save(.goals, 4)
        files.finish()
        expect(
            record.all,
            is: [
                "devices 1", "1 true", "takeover", "pins 2", "2 false", "goals 3", "3 false",
                "goals 4", "4 true",
            ])
        expect(files.isUnsaved(.pins) && !files.isUnsaved(.devices))
        expect(!files.isUnsaved(.goals))
        save(.pins, 5)
        expect(record.all.last, is: "5 false", "nothing is saved after the end")
    }
}
