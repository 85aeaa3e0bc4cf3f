extension Double {
    /// The shortest text of the number; a whole one has no point: `2`, `0.25`, `1e+20`.
    package var shortText: String { Int64(exactly: self).map { "\($0)" } ?? description }
}
