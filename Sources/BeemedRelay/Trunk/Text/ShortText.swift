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
