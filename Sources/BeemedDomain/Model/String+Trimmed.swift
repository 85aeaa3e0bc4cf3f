extension String {
    /// Without the blanks and line ends of ASCII at both ends.
    package var trimmed: String {
        let isBlank: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) }
        guard let first = utf8.first, let last = utf8.last else { return self }
        guard isBlank(first) || isBlank(last) else { return self }
        var rest = utf8.drop(while: isBlank)
        while let last = rest.last, isBlank(last) { rest = rest.dropLast() }
        return String(Substring(rest))
    }
}
