extension Double {
    /// The shortest text of the number; a whole one has no point: `2`, `0.25`, `1e+20`.
    package var shortText: String { Int64(exactly: self).map { "\($0)" } ?? description }
}

extension String {
    /// Followed by blanks up to a width, for a column of text; longer ones stay as they are.
    package func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}

extension String {
    /// The first Unicode scalars of a stranger's text. Not the first characters: one of them may
    /// have millions of scalars.
    package func cut(to count: Int) -> String {
        utf8.count > count ? String(unicodeScalars.prefix(count)) : self
    }
}

/// A position in a text of several lines, for error messages.
struct TextPosition: Error, Equatable, CustomStringConvertible {
    let line: Int
    /// In bytes from the beginning of the line, from 1.
    let column: Int

    init(_ index: Int, in bytes: ArraySlice<UInt8>) {
        let before = bytes[..<min(index, bytes.endIndex)]
        let start = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? bytes.startIndex
        line = 1 + before.count(where: { $0 == 0x0A })
        column = before.endIndex - start + 1
    }

    var description: String { "line \(line), column \(column)" }
}
