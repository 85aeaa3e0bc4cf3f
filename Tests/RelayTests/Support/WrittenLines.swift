import Synchronization

@testable import RelayTrunk

extension Log {
    /// Writes nothing.
    static let silent = Log(level: .error) { _ in }
}

/// The lines that a log has written.
final class WrittenLines: Sendable {
    private let written = Mutex("")

    /// A log that writes here.
    var log: Log { Log { self.add($0) } }

    var text: String { written.withLock { $0 } }

    func count(of words: String) -> Int {
        text.split(separator: "\n").count { $0.contains(words) }
    }

    private func add(_ bytes: [UInt8]) {
        written.withLock { $0 += String(decoding: bytes, as: UTF8.self) }
    }
}
