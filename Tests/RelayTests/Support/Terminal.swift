import Foundation
import Testing

/// A terminal without a person before it, for a program's standard output.
final class Terminal {
    private let ours: Int32
    /// The end that the program writes to.
    let programEnd: FileHandle
    private var received: [UInt8] = []

    init() throws {
        var (ours, theirs): (Int32, Int32) = (-1, -1)
        let isOpen = unsafe openpty(&ours, &theirs, nil, nil, nil) == 0
        try require(isOpen && isatty(theirs) == 1)
        self.ours = ours
        programEnd = FileHandle(fileDescriptor: theirs, closeOnDealloc: true)
    }

    /// The next line that was written; nil when there is none to come.
    func line() -> String? {
        while true {
            if let end = received.firstIndex(of: 0x0A) {
                defer { received.removeSubrange(...end) }
                let line = String(decoding: received[..<end], as: UTF8.self)
                // A terminal is given carriage returns, too.
                return line.trimmingCharacters(in: .newlines)
            }
            guard HangLimit.canRead(ours) else { return nil }
            var more = [UInt8](repeating: 0, count: 4_096)
            let count = unsafe read(ours, &more, more.count)
            guard count > 0 else { return nil }
            received += more[..<count]
        }
    }

    /// Types a text.
    func type(_ text: String) {
        let bytes = Array(text.utf8)
        unsafe _ = write(ours, bytes, bytes.count)
    }

    /// Nobody but the program writes to it any more: `line` ends with the program.
    func closeProgramEnd() throws {
        try programEnd.close()
    }

    deinit {
        close(ours)
    }
}
