extension Journal {
    /// Recovers the contents of a store, of which this relay has just become the leader. Nobody
    /// else can write meanwhile: an earlier leader's transactions compare the leader's key.
    ///
    /// - Parameter store: the name of the store if there is none yet.
    /// - Returns: the journal, its contents, and the receipt for them.
    package static func open(
        on site: ClusterSite, store: String, limits: Limits = Limits()
    ) throws(StoreFault) -> (Journal, Recovered, Receipt) {
        var limits = limits
        limits.batchBytes = min(limits.batchBytes, KeyedLog.batchBytes)
        while site.term.isValid {
            do throws(StoreFault) {
                let contents = try StoreContents.load(
                    site.store, site.keys, partBytes: limits.segmentBytes)
                var found = try contents.recovered(limits.remembered)
                found.recoveryReport.quarantinedBytes = site.local.bytes(
                    in: .quarantine, "quarantine.count")
                let journal = Journal(KeyedLog(site, contents, found, limits))
                return (journal, found, journal.receipt)
            } catch {
                switch error {
                case .store(.unanswered): continue
                case .missing: try begin(site, store)
                case .store, .deposed, .otherVersion, .unusable: throw error
                }
            }
        }
        throw .deposed
    }

    /// Says where the journal begins, unless that is said already.
    private static func begin(_ site: ClusterSite, _ store: String) throws(StoreFault) {
        let begin = BeginRecord(store: store, first: SequenceNumber(1))
        let isMissing = Transaction.Comparison.createRevision(of: site.keys.begin, is: 0)
        do throws(KeyValueFault) {
            _ = try site.store.commit(
                Transaction(if: [site.fence, isMissing], then: site.keys.puts(begin)))
        } catch {
            if case .unanswered = error { return }
            throw .store(error)
        }
    }

    /// Reads the journal of a cluster without changing it: for `journal verify`.
    ///
    /// - Returns: nil when there is no readable journal.
    package static func inspect(
        _ store: any KeyValueStore, _ keys: StoreKeys, limits: Limits = Limits()
    ) -> Recovered? {
        try? StoreContents.load(store, keys).recovered(limits.remembered)
    }
}
