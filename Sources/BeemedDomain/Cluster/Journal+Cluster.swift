/// Why the journal of a cluster cannot be opened.
package enum ClusterOpenError: Error, Equatable, Sendable {
    /// This relay no longer leads.
    case deposed
    /// Another version of the program wrote the journal; this version must not change it.
    case otherVersion
    /// The journal cannot be used, for this reason.
    case unusable(String)
}

extension Journal {
    /// Recovers the contents of a store, of which this relay has just become the leader. Nobody
    /// else can write meanwhile: an earlier leader's transactions compare the leader's key.
    ///
    /// - Parameters:
    ///   - store: the name of the store if there is none yet.
    ///   - time: the wall clock, for files of the history.
    /// - Returns: the journal, its contents, and the receipt for them.
    package static func open(
        on site: ClusterSite, store: String, time: UnixTime, limits: Limits = Limits()
    ) throws(ClusterOpenError) -> (Journal, Recovered, Receipt) {
        var limits = limits
        limits.batchBytes = min(limits.batchBytes, KeyedLog.batchBytes)
        while site.term.isValid {
            do throws(StoreContents.Fault) {
                let contents = try StoreContents.load(
                    site.store, site.keys, partBytes: limits.segmentBytes)
                var found = try contents.recovered(limits.remembered)
                found.recoveryReport.quarantinedBytes = site.local.quarantinedBytes
                let journal = Journal(KeyedLog(site, contents, found, time: time, limits))
                return (journal, found, journal.receipt)
            } catch {
                switch error {
                case .store(.unanswered): continue
                case .store(.noSpace): throw .unusable("the quota of etcd is used up")
                case .store(.refused(let why)): throw .unusable(why)
                case .otherVersion: throw .otherVersion
                case .missing: try begin(site, store)
                case .damaged(let why): throw .unusable(why)
                }
            }
        }
        throw .deposed
    }

    /// Says where the journal begins, unless that is said already.
    private static func begin(_ site: ClusterSite, _ store: String) throws(ClusterOpenError) {
        let begin = BeginRecord(store: store, first: SequenceNumber(1))
        do throws(KeyValueFault) {
            _ = try site.store.commit(
                Transaction(
                    if: [site.fence, .createRevision(of: site.keys.begin, is: 0)],
                    then: [
                        .put(site.keys.format, Array(StoreKeys.version.utf8)),
                        .put(site.keys.begin, begin.value),
                    ]))
        } catch {
            switch error {
            case .unanswered: return
            case .noSpace: throw .unusable("the quota of etcd is used up")
            case .refused(let why): throw .unusable(why)
            }
        }
    }

    /// Reads the journal of a cluster without changing it: for `journal verify`.
    ///
    /// - Returns: nil when there is no readable journal.
    package static func inspect(
        _ store: any KeyValueStore, _ keys: StoreKeys, limits: Limits = Limits()
    ) -> StoreReport? {
        guard let contents = try? StoreContents.load(store, keys),
            let found = try? contents.recovered(limits.remembered)
        else { return nil }
        return StoreReport(found)
    }
}

/// The contents and damage of a cluster's journal.
package struct StoreReport: Sendable {
    /// The findings, a sentence each.
    package let sentences: [String]
    package let isDamage: Bool

    fileprivate init(_ found: Recovered) {
        sentences = [found.counts] + found.recoveryReport.sentences
        isDamage = found.recoveryReport.isDamage
    }
}
