/// Retires the oldest batches: their lines go to the history, which stays on the leader's machine,
/// and one transaction deletes their keys.
extension KeyedLog {
    /// Retires the oldest part. A failure only delays that, unless another relay leads.
    mutating func maintain() throws(CommitFailure) {
        guard hasUpkeep, let part = ring.parts.first else { return }
        guard site.term.isValid else { throw .unknown(site.depose()) }
        let end = ring.parts.dropFirst().first?.first ?? open.first
        isPostponed = true
        guard keep(part, before: end) else { return }
        let begin = site.keys.begin
        let value = BeginRecord(store: store, first: end).value
        let look = Transaction.Operation.get(KeyRange(begin))
        // This compares the revision: a late try must not bring back an earlier one.
        let transaction = Transaction(
            if: [site.fence, .modRevision(of: begin, is: revision)],
            then: [
                .put(begin, value), .delete(site.keys.batches(from: SequenceNumber(0), to: end)),
                look,
            ],
            else: [look, .get(KeyRange(site.keys.leader))])
        let entry: KeyValue
        switch site.store.result(of: transaction) {
        case .success(let result): entry = try evaluate(result, value)
        case .failure:
            // The write may be kept although it is refused, see `KeyValueFault`.
            guard let kept = site.store.get([begin])?.first?.first, kept.value == value else {
                return
            }
            entry = kept
        }
        revision = entry.modRevision
        ring.parts.removeFirst()
        isPostponed = false
    }

    /// The entry of `begin`, which must have that value.
    private func evaluate(
        _ result: Transaction.Result, _ value: [UInt8]
    ) throws(CommitFailure) -> KeyValue {
        let impossible = CommitFailure.unknown(
            DiskError("retire.begin", code: DiskError.inputOutput))
        guard let entry = result.found.first?.first else { throw impossible }
        guard result.isSuccess || entry.value == value else {
            let leader = result.found.last?.first?.createRevision
            throw leader == site.term.epoch ? impossible : .unknown(site.depose())
        }
        return entry
    }

    /// Writes the lines of a part to the history, unless an earlier try has.
    ///
    /// - Returns: whether they are there.
    private func keep(_ part: Ring.Part, before end: SequenceNumber) -> Bool {
        let history = History(site.local, window: limits.windowBytes)
        guard let files = try? history.files() else { return false }
        if let last = files.last, let opening = history.opening(of: last), opening.store == store,
            opening.firstNumber >= part.first
        {
            return true
        }
        var lines = LineWriter()
        let number = (files.last ?? 0) + 1
        lines.writeOpen(
            Opening(
                store: store, segment: number, firstNumber: part.first, oldest: number, at: time))
        var bytes = lines.bytes
        let range = site.keys.batches(from: part.first, to: end)
        do throws(KeyValueFault) {
            try site.store.forEachBatch(range) { _, batch in bytes += batch }
        } catch { return false }
        do throws(DiskError) {
            try site.local.writeHistory(number, by: limits.windowBytes) {
                (draft) throws(DiskError) in try draft.write(bytes)
            }
        } catch { return false }
        try? History.removeExpired(
            on: site.local, atMost: 1, after: limits.historySeconds, at: time)
        return true
    }
}
