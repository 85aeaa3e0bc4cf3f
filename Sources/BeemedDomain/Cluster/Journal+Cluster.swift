/// Why the journal of a cluster cannot be opened.
package enum ClusterOpenError: Error, Equatable, Sendable {
    /// This relay no longer leads.
    case deposed
    /// A later version of the program wrote it; this version must not change it.
    case laterVersion
    /// It cannot be used, for this reason.
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
            do throws(StoreImage.Fault) {
                let image = try StoreImage.read(site.store, site.keys, besides: site.local)
                var found = try image.recovered(limits)
                found.recoveryReport.quarantinedBytes = site.local.quarantinedBytes
                let journal = Journal(KeyedLog(site, image, found, time: time, limits))
                return (journal, found, journal.receipt)
            } catch {
                switch error {
                case .store(.unanswered): continue
                case .store(.noSpace): throw .unusable("the quota of etcd is used up")
                case .store(.refused(let why)): throw .unusable(why)
                case .laterVersion: throw .laterVersion
                case .missing: try begin(site, store)
                case .damaged(let why): throw .unusable(why)
                }
            }
        }
        throw .deposed
    }

    /// Puts an empty snapshot, unless there is one.
    private static func begin(_ site: ClusterSite, _ store: String) throws(ClusterOpenError) {
        let first = BaseRecord(number: 1, through: SequenceNumber(0), parts: 1)
        var lines = LineWriter()
        lines.writeOpen(
            Opening(store: store, segment: 1, firstNumber: first.through.next, hasBase: true))
        lines.writeBaseEnd(count: 0, next: first.through.next)
        do throws(KeyValueFault) {
            _ = try site.store.commit(
                Transaction(
                    if: [site.fence, .createRevision(of: site.keys.currentBase, is: 0)],
                    then: [
                        .put(site.keys.format, Array(StoreKeys.version.utf8)),
                        .put(site.keys.part(0, ofBase: first.number), lines.bytes),
                        .put(site.keys.currentBase, first.value),
                    ]))
        } catch {
            switch error {
            case .unanswered: return
            case .noSpace: throw .unusable("the quota of etcd is used up")
            case .refused(let why): throw .unusable(why)
            }
        }
    }

    /// Reads the journal of a cluster without changing it, as a folder's: for `journal verify`.
    package static func inspect(
        _ store: any KeyValueStore, _ keys: StoreKeys, limits: Limits = Limits()
    ) -> VerifyReport? {
        guard let image = try? StoreImage.read(store, keys) else { return nil }
        return inspect(image.disk, limits: limits, isUsed: true, known: image.store)
    }
}

extension StoreImage {
    /// Its contents, as after any start.
    fileprivate func recovered(_ limits: Journal.Limits) throws(Fault) -> Recovered {
        do throws(JournalOpenError) {
            return try Recovery.read(
                disk, window: limits.windowBytes, remembered: limits.remembered, isUsed: true,
                store: store)
        } catch {
            switch error {
            case .laterVersion: throw .laterVersion
            case .disk(let cause): throw .damaged("\(cause)")
            case .forgedNumber(let next):
                throw .damaged("a record before \(next) has a number that no relay has given")
            // Never in images of a store.
            case .link(let file): throw .damaged("\(file) is a link")
            }
        }
    }
}
