/// Finds where a JSON text ends, without reading it: by its brackets and quotes.
enum JSONExtent {
    /// Whether these bytes are one object or list from its first bracket to its last one, with
    /// nothing but white space around it.
    static func isWhole(_ bytes: borrowing Span<UInt8>) -> Bool {
        var (depth, isEnded, isText, isEscaped) = (0, false, false, false)
        for index in bytes.indices {
            let byte = bytes[index]
            if isText {
                isText = isEscaped || byte != ASCII.quote
                isEscaped = !isEscaped && byte == ASCII.backslash
                continue
            }
            switch byte {
            case ASCII.space, ASCII.tab, ASCII.lineFeed, ASCII.carriageReturn, 0: continue
            case 0x7B, 0x5B:
                guard !isEnded else { return false }
                depth += 1
            case 0x7D, 0x5D:
                depth -= 1
                isEnded = depth == 0
            case ASCII.quote: isText = true
            default: break
            }
            guard depth > 0 || isEnded && (byte == 0x7D || byte == 0x5D) else { return false }
        }
        return isEnded
    }
}
