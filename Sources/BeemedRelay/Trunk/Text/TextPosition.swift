/// A position in a text of several lines, for error messages.
struct TextPosition: Error, Equatable, CustomStringConvertible {
    /// From 1.
    let line: Int
    /// In bytes from the beginning of the line, from 1.
    let column: Int

    /// - Parameters:
    ///   - index: the position, as an index of the bytes.
    ///   - line: the line number of the first byte.
    init(_ index: Int, in bytes: ArraySlice<UInt8>, fromLine line: Int = 1) {
        let before = bytes[..<min(index, bytes.endIndex)]
        let start = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? bytes.startIndex
        self.line = line + before.count(where: { $0 == 0x0A })
        column = before.endIndex - start + 1
    }

    var description: String { "line \(line), column \(column)" }
}
