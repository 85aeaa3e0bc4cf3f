extension Ledger.Entry {
    /// Whether the user has undone it, also if Beeminder may still have it, or it is only left out
    /// of a merged datapoint.
    var isTakenBack: Bool {
        progress == .erasing || progress == .settled(.undone) || recorded.isLeftOut
    }
}
