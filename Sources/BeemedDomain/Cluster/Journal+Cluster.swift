extension Journal {
    /// Recovers the contents of a store, of which this relay has just become the leader. Nobody
    /// else can write meanwhile: an earlier leader's transactions compare the leader's key.
    ///
    /// - Parameters:
    ///   - local: has the history, which stays on the leader's machine.
    ///   - store: the name of the store if there is none yet.
    package static func open(
        on site: ClusterSite, local: any Disk, store: String, limits: Limits = Limits()
    ) throws(StoreFault) -> (Journal, Recovered, Receipt) {
        var limits = limits
        limits.batchBytes = min(limits.batchBytes, KeyedLog.batchBytes)
        while site.term.isValid {
            do throws(StoreFault) {
                let contents = try StoreContents.load(site.store, site.keys)
                var found = try contents.recovered()
                found.recoveryReport.quarantinedBytes = local.bytes(
                    in: .quarantine, "quarantine.count")
                let journal = Journal(KeyedLog(site, local, contents, next: found.next, limits))
                return (journal, found, journal.receipt)
            } catch {
                switch error {
                case .unanswered: continue
                case .missing: try begin(site, store)
                default: throw error
                }
            }
        }
        throw .deposed
    }

    /// Says where the journal begins, unless that is said already.
    private static func begin(_ site: ClusterSite, _ store: String) throws(StoreFault) {
        let begin = StorePosition(store: store, next: SequenceNumber(1))
        do throws(ClusterSite.WriteFault) {
            _ = try site.write(begin.value, to: site.keys.begin, of: 0, site.keys.puts(begin))
        } catch {
            if case .refused(let fault, _) = error { throw fault }
        }
    }

    /// Reads the journal of a cluster without changing it, for `journal verify`; nil when there is no
    /// readable one.
    package static func inspect(_ store: any KeyValueStore, _ keys: StoreKeys) -> Recovered? {
        try? StoreContents.load(store, keys).recovered()
    }
}
