import Testing

@testable import BeemedDomain
@testable import RelayHTTP
@testable import RelayTrunk

/// The cached context is good until an event or the passing of time changes it.
struct ContextCacheTests {
    private func moment(_ second: Int64) -> Moment {
        Moment(
            wall: UnixTime(1_760_000_000 + second),
            monotonic: Monotonic(milliseconds: 5_000 + 1_000 * second))
    }

    private func snapshot(version: UInt64 = 1, queued: Int = 0) -> Snapshot {
        Snapshot(
            version: version, user: "alice", sync: .online, queued: queued, refused: 0, held: 0,
            deliveryError: nil, goals: [], atRisk: [])
    }

    /// Fills it at a time by a right clock.
    private func fill(_ cache: inout ContextCache, _ snapshot: Snapshot, at now: Moment) {
        cache.fill(snapshot, at: now.monotonic, corrected: now.wall)
    }

    @Test func `it is good for a second, or until an event`() {
        var cache = ContextCache()
        expect(cache.isStale(version: 1, at: moment(0).monotonic))
        fill(&cache, snapshot(), at: moment(0))
        expect(!cache.isStale(version: 1, at: moment(0).monotonic))
        expect(cache.isStale(version: 1, at: moment(1).monotonic))
        expect(cache.isStale(version: 2, at: moment(0).monotonic))
    }

    @Test func `the order of a goal's members makes no other form`() throws {
        let view = try ContextView(query: "fields=today,slug,today")
        expect(view, is: (try ContextView(query: "fields=slug,today")))
        expect(view.tag, is: "-20jslug.today")
        for query in ["fields=", "fields=slug,colour", "fields=,"] {
            #expect(throws: Problem.self) { try ContextView(query: query) }
        }
    }

    @Test func `time alone wakes only while somebody waits`() throws {
        let watchers = ContextWatchers()
        fill(&watchers.cache, snapshot(), at: moment(2))
        expect(watchers.wakeAt == nil)
        func wait(_ slot: Int, until: Monotonic?) -> ContextWait {
            ContextWait(
                exchange: ExchangeID(slot: slot, generation: 0), bearer: TokenDigest(of: "a"),
                view: .whole, poll: until.map { (nil, $0) })
        }
        watchers.add(wait(0, until: nil), at: moment(0))
        expect(watchers.wakeAt, is: moment(15).monotonic)
        watchers.add(wait(1, until: moment(19).monotonic), at: moment(0))
        // The last stream has ended: no heartbeat is due that nobody sends.
        _ = watchers.remove(ExchangeID(slot: 0, generation: 0))
        expect(watchers.wakeAt, is: moment(17).monotonic)
    }

    @Test func `what says something new is another edition and another representation`() throws {
        var cache = ContextCache()
        var tags: [String] = []
        // An event, time that changes nothing, time that changes something, and an event.
        for (second, version, queued) in [(0, 1, 0), (60, 1, 0), (120, 1, 1), (180, 2, 1)] {
            fill(
                &cache, snapshot(version: UInt64(version), queued: queued),
                at: moment(Int64(second)))
            let response = cache.response(.whole, ifNoneMatch: nil)
            tags.append(try require(response.field("ETag")))
            expect(!cache.isStale(version: UInt64(version), at: moment(Int64(second)).monotonic))
        }
        expect(tags[0], is: tags[1])
        expect(Set(tags).count, is: 3)
        expect(cache.edition, is: 3)
    }
}
