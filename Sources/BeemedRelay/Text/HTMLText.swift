/// Text for a page: nothing that a client sent is ever markup.
enum HTMLText {
    /// The text with everything escaped that could end a text or an attribute.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            case _: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
