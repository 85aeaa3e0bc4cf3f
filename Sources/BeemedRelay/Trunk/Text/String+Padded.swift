extension String {
    /// Followed by blanks up to a width, for a column of text; longer ones stay as they are.
    package func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}
