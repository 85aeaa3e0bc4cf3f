package import BeemedDomain

/// An answer of the relay, or a part of it, as commands show it. Another version may leave out
/// members that this one knows; a missing text is empty.
package struct RelayAnswer {
    /// The JSON; nil where there is none.
    package let tree: JSONTree?
    private(set) var bytes: [UInt8] = []

    init(_ tree: JSONTree?) {
        self.tree = tree
    }

    /// A whole answer, which must be empty or JSON.
    package init(_ bytes: [UInt8]) throws(Failure) {
        tree = JSONTree(bytes)
        self.bytes = bytes
        guard tree != nil || bytes.isEmpty else {
            throw Failure(
                .software,
                "the relay's answer cannot be read; is it of the version of this command?")
        }
    }

    /// Prints a whole answer as it is, a line.
    package func print() {
        Console.output(json: String(decoding: bytes, as: UTF8.self).trimmed)
    }

    /// The member of this name; an empty answer where there is none.
    package subscript(_ member: String) -> RelayAnswer { RelayAnswer(tree?[member]) }

    /// Itself, if it is there.
    package var ifThere: RelayAnswer? { tree == nil || tree == .null ? nil : self }

    /// Whether the value is there and not false.
    package var isTrue: Bool { ifThere != nil && tree != .flag(false) }

    /// The elements of a list.
    package var list: [RelayAnswer] { (tree?.elements ?? []).map { RelayAnswer($0) } }

    /// The number; nil where it is something else.
    package var number: Double? { tree?.number }

    /// A whole number.
    package var whole: Int64? { number.flatMap { Int64(exactly: $0) } }

    /// A text or a number as text, or the elements of a list with commas between them.
    package var text: String {
        switch tree {
        case .text(let text): text
        case .number(let number): number.shortText
        case .flag(let flag): "\(flag)"
        case .list: list.map(\.text).joined(separator: ",")
        case .object, .null, nil: ""
        }
    }

    /// The text, if it is there.
    package var words: String? { ifThere?.text }

    /// `+1`, `-0.25`.
    package var signed: String { (number ?? 1).signedText }

    /// A Unix time in the machine's time zone.
    package var time: String { whole.map(Console.localTime) ?? "" }
}

extension Double {
    /// `+1`, `-0.25`.
    package var signedText: String {
        (sign == .minus ? "-" : "+") + magnitude.shortText
    }
}

extension [String?] {
    /// The present values, joined by commas.
    package var listed: String { compactMap(\.self).joined(separator: ", ") }
}

extension Console {
    /// Names, and in a column behind them their texts; a name without a text is left out.
    package static func pairs(_ pairs: [(name: String, text: String?)]) {
        for case (let name, let text?) in pairs {
            output("\(name.padded(to: 12))\(plain(text))")
        }
    }
}
