extension UInt8 {
    /// Whether it is a blank or a line end of ASCII: space, HT, LF, VT, FF or CR.
    package var isBlank: Bool { self == 0x20 || (0x09...0x0D).contains(self) }
}

extension String {
    /// Without the blanks and line ends of ASCII at both ends.
    package var trimmed: String {
        guard let first = utf8.first, let last = utf8.last else { return self }
        guard first.isBlank || last.isBlank else { return self }
        var rest = utf8.drop(while: \.isBlank)
        while let last = rest.last, last.isBlank { rest = rest.dropLast() }
        return String(Substring(rest))
    }
}
