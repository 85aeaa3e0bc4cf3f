/// Escapes text for HTML, so that no input of a client becomes markup.
package enum HTMLText {
    /// Escapes every character that could end a text or an attribute.
    package static func escaped(_ text: String) -> String {
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
