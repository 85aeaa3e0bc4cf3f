import BeemedDomain

/// The word that was probably meant.
package enum Nearest {
    /// The candidate with the fewest letters to add, remove or replace; nil when none is near: up
    /// to a third of the letters, at least one, may differ.
    static func word(to text: String, in candidates: [String]) -> String? {
        let wanted = Array(text.lowercased().utf8)
        let most = max(1, wanted.count / 3)
        let near = candidates.compactMap { candidate in
            wanted.distance(to: Array(candidate.lowercased().utf8), atMost: most)
                .map { (word: candidate, distance: $0) }
        }
        return near.min { $0.distance < $1.distance }?.word
            ?? candidates.first { !text.isEmpty && $0.hasPrefix(text) }
    }

    /// "; did you mean 'X'?", or nothing.
    package static func hint(_ text: String, in candidates: [String], dashes: String = "") -> String
    {
        word(to: text, in: candidates).map { "; did you mean '\(dashes)\($0)'?" } ?? ""
    }
}
