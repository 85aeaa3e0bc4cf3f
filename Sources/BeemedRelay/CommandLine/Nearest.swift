/// The word that was probably meant.
enum Nearest {
    /// The candidate with the fewest letters to add, remove, replace or swap; nil when none is
    /// near: up to a third of the letters, at least one, may differ.
    static func word(to text: String, in candidates: [String]) -> String? {
        let wanted = Array(text.lowercased())
        let most = max(1, wanted.count / 3)
        var best: (word: String, distance: Int)?
        for candidate in candidates {
            let distance = distance(wanted, Array(candidate.lowercased()))
            if distance <= most, distance < best?.distance ?? .max { best = (candidate, distance) }
        }
        return best?.word ?? candidates.first { !text.isEmpty && $0.hasPrefix(text) }
    }

    /// "; did you mean 'X'?", or nothing.
    static func hint(_ text: String, in candidates: [String], dashes: String = "") -> String {
        word(to: text, in: candidates).map { "; did you mean '\(dashes)\($0)'?" } ?? ""
    }

    /// The optimal string alignment distance (Damerau, 1964, without repeated edits).
    private static func distance(_ left: [Character], _ right: [Character]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for row in left.indices {
            var current = [row + 1]
            for column in right.indices {
                let isSame = left[row] == right[column]
                var least = min(
                    last[column] + (isSame ? 0 : 1), last[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, left[row] == right[column - 1],
                    left[row - 1] == right[column]
                {
                    least = min(least, beforeLast[column - 1] + 1)
                }
                current.append(least)
            }
            (beforeLast, last) = (last, current)
        }
        return last[right.count]
    }
}
