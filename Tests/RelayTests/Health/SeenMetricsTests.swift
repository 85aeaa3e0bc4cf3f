import BeemedDomain
import Foundation
import Testing

@testable import RelayHealth

/// The record of the metrics that came.
struct SeenMetricsTests {
    private static let now = UnixTime(1_795_345_200)
    /// A single character, of many bytes.
    private static let long = "u" + String(repeating: "\u{301}", count: 50_000)

    private func sample(_ metric: String, unit: String = "", source: String = "") -> HealthSample {
        HealthSample(
            metric: metric, values: ["value": HealthSample.Value(value: 1, unit: unit)],
            main: "value", start: 0, end: 0, day: Daystamp(number: 20_000),
            source: source)
    }

    private func text(_ seen: SeenMetrics) throws -> String {
        String(decoding: try JSONEncoder().encode(seen), as: UTF8.self)
    }

    @Test func `metrics that were seen`() {
        part("texts are cut, whatever a character is") {
            let long = SeenMetricsTests.long
            var seen = SeenMetrics()
            seen.note([sample(long, unit: long, source: long)], at: SeenMetricsTests.now)
            expect(seen.metrics.count, is: 1)
            try expect(text(seen).utf8.count < 2_000)
            try expect(
                JSONDecoder().decode(SeenMetrics.self, from: Data(text(seen).utf8)), is: seen)
        }
        part("a body's texts are cut before anything is compared with them") {
            let long = SeenMetricsTests.long
            let body =
                #"{"metric":"m\#(long)","value":1,"unit":"\#(long)","source":"\#(long)","#
                + #""kind":"\#(long)"}"#
            let source = HealthBody.Source(
                calendar: try Berlin.calendar(), now: Berlin.noon)
            let read = try HealthBody(Array(body.utf8), source)
            let sample = try require(read.byMetric.first?.samples.first)
            let texts = [sample.metric, sample.source, sample.kind, sample.value(of: nil)?.unit]
            for text in texts { expect((1...1_001).contains(text?.utf8.count ?? 0)) }
            let named = #"{"app_version":"1","steps":[{"time":"2026-11-22","\#(long)a":1}]}"#
            let fields = try HealthBody(Array(named.utf8), source).byMetric.first?.samples.first?
                .values
            expect(fields?.keys.map { $0.utf8.count <= 200 }, is: [true])
            let metrics = #"{"data":{"metrics":[{"name":"x","data":[{"date":"2026-11-22","#
            let exported = metrics + #""\#(long)":1,"qty":2}]}]}}"#
            let samples = try HealthBody(Array(exported.utf8), source).byMetric.first?.samples
            let names = samples?.first?.values.keys.map { $0.utf8.count } ?? []
            expect(names.count == 2 && names.allSatisfy { $0 <= 200 })
        }
        part("invented names give way to metrics that come later") {
            var seen = SeenMetrics()
            let now = SeenMetricsTests.now
            let junk = (0..<SeenMetrics.maxMetrics + 50).map { sample("junk\($0)") }
            seen.note([sample("weight")], at: now)
            seen.note(junk, at: now.adding(60))
            expect(seen.metrics.count, is: SeenMetrics.maxMetrics)
            expect(seen.metrics["weight"] == nil)
            seen.note([sample("steps", unit: "count")], at: now.adding(120))
            expect(seen.metrics.count, is: SeenMetrics.maxMetrics)
            expect(seen.unit(of: "step_count"), is: "count")
            seen.note([sample("more")], at: now.adding(180))
            expect(seen.metrics["steps"] != nil && seen.metrics["more"] != nil)
        }
    }
}
