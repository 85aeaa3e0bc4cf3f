import Testing

@testable import BeemedDomain

struct DatapointSearchTests {
    private static let day: Int64 = 86_400

    /// An id as Beeminder makes them, at that time.
    private static func id(_ madeAt: Int64, _ count: Int) -> String {
        let time = String(madeAt, radix: 16)
        let rest = String(count, radix: 16)
        return time + String(repeating: "0", count: 16 - rest.count) + rest
    }

    private static func list(_ points: [(String, String?)]) -> DatapointList {
        let elements = points.map { id, requestID in
            #"{"id":"\#(id)","requestid":\#(requestID.map { "\"\($0)\"" } ?? "null"),"value":1.0}"#
        }
        let body = "[\(elements.joined(separator: ","))]"
        guard let list = DatapointList(Array(body.utf8)) else { preconditionFailure(body) }
        return list
    }

    /// A whole page that begins with these.
    private static func page(_ points: [(String, String?)]) -> DatapointList {
        let first = points.first?.0 ?? ""
        let others = (points.count..<50).map { (first + "-\($0)", nil as String?) }
        return list(points + others)
    }

    @Test func `how far a search goes`() {
        part("ends when it is found") {
            var search = DatapointSearch(for: "a.1", since: UnixTime(1_760_000_000))
            let step = search.apply(
                Self.list([("d1", "a.2"), ("d2", nil), ("d3", "a.1"), ("d4", "a.3")]))
            expect(step, is: .done)
            expect(search.match?.id, is: "d3")
        }
        part("goes back page by page to the time of what it looks for") {
            let start: Int64 = 1_760_000_000
            var search = DatapointSearch(for: "a.1", since: UnixTime(start))
            for page in 0..<3 {
                let madeAt = start + Self.day * Int64(2 - page)
                expect(search.apply(Self.page([(Self.id(madeAt, page), nil)])), is: .page(page + 2))
            }
            // A day of grace for clocks that differ, and then it cannot be there.
            expect(search.apply(Self.page([(Self.id(start - Self.day - 1, 9), nil)])), is: .done)
            expect(search.match == nil)
        }
        // Ends at the last page.
        for since in [0, .min] as [Int64] {
            var search = DatapointSearch(for: "a.1", since: UnixTime(since))
            expect(search.apply(Self.page([("d1", nil)])), is: .page(2), "\(since)")
            expect(search.apply(Self.list([])), is: .done, "\(since)")
        }
        // A page that is shorter than any is the last.
        // Beeminder names no greatest size of a page; its usual size is 25.
        for (count, isLast) in [(0, true), (24, true), (25, false), (49, false)] as [(Int, Bool)] {
            var search = DatapointSearch(for: "a.1", since: UnixTime(0))
            let list = Self.list((0..<count).map { ("d\($0)", nil) })
            expect(search.apply(list), is: (isLast ? .done : .page(2)), "\(count)")
        }
        part("what is no datapoint counts for the length of a page") {
            var search = DatapointSearch(for: "a.1", since: UnixTime(0))
            let rest = String(repeating: ",{}", count: 24)
            let list = DatapointList(Array(#"[{"id":"d1"}\#(rest)]"#.utf8))
            expect(list.map { search.apply($0) }, is: .page(2))
        }
        part("ends when the server knows no pages") {
            var search = DatapointSearch(for: "a.1", since: UnixTime(0))
            let page = Self.page([("d1", nil), ("d2", "b.1")])
            expect(search.apply(page), is: .page(2))
            expect(search.apply(page), is: .done)
        }
        part("gives up where the pages have no end, and says so") {
            var search = DatapointSearch(for: "a.1", since: UnixTime(0))
            var pages = 1
            while search.apply(Self.page([("d\(pages)", nil)])) != .givenUp { pages += 1 }
            expect(pages, is: DatapointSearch.maxPages)
        }
    }

    @Test func `what a list is`() {
        // Takes nothing else for a list.
        for body in ["", "{}", "null", #"{"errors":"no"}"#, "[", "<html>", #""[]""#] {
            expect(DatapointList(Array(body.utf8)) == nil, "\(body)")
        }
        part("leaves out what is no datapoint") {
            let body =
                #"[null,1,"x",[],{"requestid":"a.1"},{"id":7},{"id":"d1","requestid":"a.2"}]"#
            let list = DatapointList(Array(body.utf8))
            expect(list?.datapoints.map(\.requestID), is: ["a.2"])
        }
        part("reads the time from an id of 24 hex digits only") {
            let ids = ["69761ddcf0168adc85090997", "69761ddc", "zzzzzzzzf0168adc85090997"]
            let list = Self.list(ids.map { ($0, nil) })
            expect(list.datapoints.map(\.madeAt), is: [1_769_348_572, nil, nil])
        }
    }
}
