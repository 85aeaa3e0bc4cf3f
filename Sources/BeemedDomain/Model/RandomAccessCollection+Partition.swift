extension RandomAccessCollection {
    /// The first index whose element belongs to the second part; `endIndex` if none does. All
    /// elements of the first part must come before it. A binary search.
    package func partitioningIndex(where isInSecondPart: (Element) -> Bool) -> Index {
        var (start, rest) = (startIndex, count)
        while rest > 0 {
            let half = rest / 2
            let middle = index(start, offsetBy: half)
            if isInSecondPart(self[middle]) {
                rest = half
            } else {
                start = index(after: middle)
                rest -= half + 1
            }
        }
        return start
    }
}
