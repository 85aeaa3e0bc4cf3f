/// Puts the snapshot of a compaction into the store, and makes it count.
extension KeyedLog {
    /// Puts the next part.
    func upload(_ bytes: [UInt8], _ part: Int) throws(CompactionObstacle) -> KeyedCompaction.Phase {
        guard let compaction else { throw .lasting }
        // A part fits into a request, as a batch does.
        let size = limits.batchBytes
        let start = part * size
        guard start < bytes.count else {
            return .switching(
                BaseRecord(
                    number: compaction.number,
                    through: SequenceNumber(compaction.next.value - 1), parts: part))
        }
        let slice = Array(bytes[start..<min(bytes.count, start + size)])
        let key = site.keys.part(part, ofBase: compaction.number)
        let result = try attempt(Transaction(if: [site.fence], then: [.put(key, slice)]))
        guard result.isSuccess else { throw .deposed }
        return .uploading(bytes, part: part + 1)
    }

    /// The one transaction after which a start reads the new snapshot. It compares the revision of
    /// the old one: a try that arrives late must not bring back a snapshot that was replaced.
    mutating func switchTo(
        _ record: BaseRecord
    ) throws(CompactionObstacle) -> KeyedCompaction.Phase {
        let current = site.keys.currentBase
        let look = Transaction.Operation.get(KeyRange(current))
        let result = site.store.result(
            of: Transaction(
                if: [site.fence, .modRevision(of: current, is: revision)],
                then: [.put(current, record.value), look],
                else: [look, .get(KeyRange(site.keys.leader))]))
        let entry: KeyValue
        switch result {
        case .success(let result): entry = try evaluate(result, record)
        case .failure(let fault):
            // It may be kept although it is refused, see `KeyValueFault`.
            guard let kept = site.store.look(at: [current])?.first?.first,
                kept.value == record.value
            else { throw CompactionObstacle(fault) }
            entry = kept
        }
        let count = compaction?.archives.count ?? 0
        try? History.removeExpired(
            on: site.local, atMost: count, before: record.number, after: limits.historySeconds,
            at: time)
        lines = (compaction?.contents.kept.count ?? 0) + Int(next.value - record.through.next.value)
        let dropped = compaction?.image?.batches ?? StoreImage.Tail()
        adopt(record, revision: entry.modRevision, dropping: dropped)
        compaction?.image = nil
        compaction?.contents = CompactionReader.Contents()
        return .deleting
    }

    /// The entry of `base/current`, which must name this snapshot.
    private func evaluate(
        _ result: Transaction.Result, _ record: BaseRecord
    ) throws(CompactionObstacle) -> KeyValue {
        guard let entry = result.found.first?.first else { throw .impossible }
        guard result.isSuccess || entry.value == record.value else {
            let leader = result.found.last?.first?.createRevision
            throw leader == site.term.epoch ? .impossible : .deposed
        }
        return entry
    }

    /// Deletes what the present snapshot replaces.
    ///
    /// - Returns: whether that is done.
    func delete() throws(CompactionObstacle) -> Bool {
        let first = SequenceNumber(0)
        let result = try attempt(
            Transaction(
                if: [site.fence],
                then: [
                    .delete(site.keys.batches(from: first, to: base.through.next)),
                    .delete(site.keys.bases(before: base.number)),
                ]))
        guard result.isSuccess else { throw .deposed }
        FreedMemory.giveBack()
        return true
    }

    private func attempt(
        _ transaction: Transaction
    ) throws(CompactionObstacle) -> Transaction.Result {
        do throws(KeyValueFault) {
            return try site.store.commit(transaction)
        } catch { throw CompactionObstacle(error) }
    }
}
