extension JSONReader {
    /// Reads an object of texts.
    mutating func texts() throws(Fault) -> [String: String] {
        var texts: [String: String] = [:]
        try object { (name, reader) throws(Fault) in texts[name] = try reader.string() }
        return texts
    }
}
