/// What a journal says that is not done yet: for the status of a relay that does not run.
package struct JournalQueue: Sendable, Equatable {
    /// The number of presses that wait.
    package let presses: Int
    /// The number of datapoints that wait to be deleted.
    package let deletions: Int
    /// The number of presses that Beeminder has refused.
    package let refused: Int

    /// Creates it from known numbers.
    package init(presses: Int, deletions: Int, refused: Int) {
        (self.presses, self.deletions, self.refused) = (presses, deletions, refused)
    }

    /// Reads a journal without changing it; nil when there is none, or it cannot be read.
    ///
    /// - Parameters:
    ///   - isUsed: whether a relay has used this folder.
    ///   - store: the store's name from a source other than the segments.
    package init?(in disk: any Disk, isUsed: Bool, store: String?) {
        guard let found = try? Recovery.read(disk, isUsed: isUsed, store: store),
            !found.segments.isEmpty
        else { return nil }
        var counts = (presses: 0, deletions: 0, refused: 0)
        for entry in found.entries {
            switch entry.settlement {
            case _ where entry.recorded.isUnwanted: counts.deletions += 1
            case nil: counts.presses += 1
            case .refused?: counts.refused += 1
            case .delivered?, .undone?, .guarded?, .merged?: break
            }
        }
        self.init(presses: counts.presses, deletions: counts.deletions, refused: counts.refused)
    }
}
