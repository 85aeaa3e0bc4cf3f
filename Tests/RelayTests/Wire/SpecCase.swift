import Foundation

/// A case of `Spec/*.md`: bytes, and what they must be read as. `Spec/README.md` has the rules.
struct SpecCase: Sendable {
    let file: String
    let title: String
    let bytes: [UInt8]
    let expected: BatchResult

    /// Every case there is.
    static let all: [SpecCase] = {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Spec")
        let files = try? FileManager.default.contentsOfDirectory(
            at: folder, includingPropertiesForKeys: nil)
        return (files ?? [])
            .filter { $0.pathExtension == "md" && $0.lastPathComponent != "README.md" }
            .sorted { $0.path < $1.path }
            .flatMap { file in
                let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
                return cases(of: text, in: file.lastPathComponent)
            }
    }()

    private static func cases(of text: String, in file: String) -> [SpecCase] {
        text.components(separatedBy: "\n## ").dropFirst().map { section in
            let lines = section.components(separatedBy: "\n")
            let expected = BatchResult(block("expect", of: lines))
            return SpecCase(
                file: file, title: lines[0], bytes: Notation.bytes(block("http", of: lines)),
                expected: expected)
        }
    }

    private static func block(_ name: String, of lines: [String]) -> [String] {
        guard let start = lines.firstIndex(of: "```\(name)"),
            let end = lines[start...].firstIndex(of: "```")
        else { preconditionFailure("no \(name) block below '\(lines[0])'") }
        return Array(lines[(start + 1)..<end])
    }
}

/// The result of reading bytes: the requests in order, and how the reading ends.
struct BatchResult: Equatable, Sendable, CustomStringConvertible {
    var requests: [String] = []
    /// `wait`, a status and the name of a fault, or nothing between two requests.
    var end = ""

    init() {}

    init(_ lines: [String]) {
        for line in lines where !line.isEmpty {
            if line == "wait" || line.first?.isNumber == true {
                end = line
            } else {
                requests.append(line)
            }
        }
    }

    var description: String { (requests + [end]).joined(separator: "\n") }
}

/// The notation of an `http` block, and of a quoted body.
enum Notation {
    /// The bytes of a block's lines.
    static func bytes(_ lines: [String]) -> [UInt8] {
        lines.flatMap { line in
            var reader = Reader(rest: Array(line.utf8)[...])
            let bytes = reader.bytes()
            return reader.endsItsLine ? bytes : bytes + [0x0D, 0x0A]
        }
    }

    /// The bytes of a text with escapes.
    static func bytes(_ text: some StringProtocol) -> [UInt8] {
        var reader = Reader(rest: Array(text.utf8)[...])
        return reader.bytes()
    }

    private struct Reader {
        var rest: ArraySlice<UInt8>
        /// The line ended in `\n` or in a single backslash, so nothing is to be added.
        var endsItsLine = false

        mutating func bytes(until stop: UInt8? = nil) -> [UInt8] {
            var bytes: [UInt8] = []
            while let byte = rest.popFirst(), byte != stop {
                endsItsLine = false
                byte == UInt8(ascii: "\\") ? escape(into: &bytes) : bytes.append(byte)
            }
            return bytes
        }

        private mutating func escape(into bytes: inout [UInt8]) {
            switch rest.popFirst() {
            case nil: endsItsLine = true
            case UInt8(ascii: "r"): bytes.append(0x0D)
            case UInt8(ascii: "n"):
                bytes.append(0x0A)
                endsItsLine = rest.isEmpty
            case UInt8(ascii: "t"): bytes.append(0x09)
            case UInt8(ascii: "0"): bytes.append(0)
            case UInt8(ascii: "x"):
                bytes.append(UInt8(number(rest.prefix(2), radix: 16)))
                rest = rest.dropFirst(2)
            case UInt8(ascii: "{"):
                let count = number(self.bytes(until: UInt8(ascii: "*"))[...], radix: 10)
                let unit = self.bytes(until: UInt8(ascii: "}"))
                for _ in 0..<count { bytes += unit }
            case .some(let byte): bytes.append(byte)
            }
        }

        private func number(_ digits: ArraySlice<UInt8>, radix: Int) -> Int {
            guard let number = Int(String(decoding: digits, as: UTF8.self), radix: radix) else {
                preconditionFailure("no number: \(digits)")
            }
            return number
        }
    }
}
