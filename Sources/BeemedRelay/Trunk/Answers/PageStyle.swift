import BeemedDomain

/// The styles of the relay's pages, as they are sent.
package enum PageStyle {
    /// The common style of the relay's pages.
    package static let common = short(EmbeddedFiles.file("page/base.css"))

    /// A style without its comments and indentation, and without blanks beside its punctuation. No
    /// text in a style may have such a blank, and no comment more than one line.
    static func condensed(_ style: [UInt8]) -> [UInt8] {
        let lines = String(decoding: style, as: UTF8.self).split(separator: "\n")
            .map { String($0).trimmed }.filter { !$0.hasPrefix("/*") }
        let pairs = [(" {", "{"), ("{ ", "{"), (" }", "}"), ("; ", ";"), (": ", ":"), (", ", ",")]
        let text = pairs.reduce(lines.joined(separator: "\n")) { $0.replacing($1.0, with: $1.1) }
        return Array((text + "\n").utf8)
    }

    /// A style without the ends of its lines, each of which stands behind punctuation.
    package static func short(_ style: [UInt8]) -> [UInt8] {
        let text = String(decoding: condensed(style), as: UTF8.self)
        return Array(text.replacing("\n", with: "").replacing(";}", with: "}").utf8)
    }
}
