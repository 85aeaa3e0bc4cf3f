import Testing

@testable import BeemedDomain

/// RFC 9110 sections 10.2.3 and 5.6.7.
struct RetryAfterTests {
    /// 1994-11-06 08:49:07 UTC: 30 s before the RFC's own example.
    private static let now = UnixTime(784_111_747)

    @Test func `times`() {
        // Reads seconds and a date.
        for (field, seconds) in [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 30.0),
            ("  Sun, 06 Nov 1994 08:49:37 GMT ", 30), ("Sun, 06 Nov 1994 08:49:37 UTC", 30),
            ("Sun, 06 Nov 1994 08:00:00 GMT", 0),
            ("120", 120), (" 7 ", 7), ("0", 0), ("1.5", 1.5), ("-1", 0),
        ] as [(String, Double)] {
            expect(RetryAfter.seconds(field, answered: Self.now), is: seconds, "\(field)")
        }
        // Does not guess at anything else.
        for field in [
            "", " ", "soon", "nan", "inf", "-inf", "1e999", "Sun, 06 Foo 1994 08:49:37 GMT",
            "12:00",
            "Sun, 06 Nov 1994", "1 2", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        ] {
            expect(RetryAfter.seconds(field, answered: Self.now) == nil, "\(field)")
        }
        part("compares a date with the date of the answer, whatever the relay's clock says") {
            let answer = UpstreamAnswer(
                status: 429, retryAfter: "Sun, 06 Nov 1994 08:49:37 GMT", date: Self.now, body: [])
            for hours in [-7, 0, 7] as [Int64] {
                let clock = UnixTime(Self.now.seconds + hours * 3_600)
                expect(answer.secondsToWait(now: clock), is: 30)
                expect(Outcome(answer, requestID: "", now: clock), is: .busy(retryAfter: 30))
            }
            let undated = UpstreamAnswer(
                status: 429, retryAfter: "Sun, 06 Nov 1994 08:49:37 GMT", body: [])
            expect(undated.secondsToWait(now: UnixTime(Self.now.seconds - 60)), is: 90)
        }
        // Reads a field that holds a date.
        for (field, seconds) in [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777 as Int64?),
            ("784111777", nil), ("", nil),
            ("yesterday", nil), ("Sun, 06 Nov 1994 25:49:37 GMT", nil),
            ("sun, 6 nov 1994 08:49:37 UTC", 784_111_777),
            ("Thu, 29 Feb 2024 23:59:60 GMT", 1_709_251_200),
            ("Wed, 29 Feb 2023 00:00:00 GMT", nil),
            ("Sun, 06 Nov 1994 08:49:37 EST", nil), ("Sun, 06 Nov 1994 8:49:37 GMT", nil),
            ("06 Nov 1994 08:49:37 GMT", nil), ("Sun, 06 Nov 94 08:49:37 GMT GMT", nil),
            ("Sun, 06 Nov -994 08:49:37 GMT", nil), ("Sun, 06 Nov 1994 08:49:-7 GMT", nil),
        ] as [(String, Int64?)] {
            expect(DateField.parse(field)?.seconds, is: seconds, "\(field)")
        }
    }
}
