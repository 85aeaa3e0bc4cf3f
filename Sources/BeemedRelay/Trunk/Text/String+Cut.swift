extension String {
    /// The first Unicode scalars of a stranger's text. Not the first characters: one of them may
    /// have millions of scalars.
    package func cut(to count: Int) -> String {
        utf8.count > count ? String(unicodeScalars.prefix(count)) : self
    }
}
