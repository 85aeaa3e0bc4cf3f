extension UInt8 {
    /// Whether the byte is a blank or a line end of ASCII: space, HT, LF, VT, FF or CR.
    package var isBlank: Bool { self == 0x20 || (0x09...0x0D).contains(self) }
}

extension String {
    /// Without the blanks and line ends of ASCII at both ends.
    package var trimmed: String {
        let bytes = utf8.span
        guard !bytes.isEmpty, bytes[0].isBlank || bytes[bytes.count - 1].isBlank else {
            return self
        }
        var rest = utf8.drop(while: \.isBlank)
        while let last = rest.last, last.isBlank { rest = rest.dropLast() }
        return String(Substring(rest))
    }
}
