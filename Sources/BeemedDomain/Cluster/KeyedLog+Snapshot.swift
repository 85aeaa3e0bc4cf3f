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
        let result = try attempt(
            Transaction(
                if: [site.fence, .modRevision(of: current, is: revision)],
                then: [.put(current, record.value), look],
                else: [look, .get(KeyRange(site.keys.leader))]))
        guard let entry = result.found.first?.first else { throw .impossible }
        if !result.isSuccess, entry.value != record.value {
            let leader = result.found.last?.first?.createRevision
            throw leader == site.term.epoch ? .impossible : .deposed
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
