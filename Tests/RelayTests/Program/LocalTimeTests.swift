import Foundation
import Testing

@testable import RelayTrunk

struct LocalTimeTests {
    @Test(arguments: [
        (0, 0, "2026-01-02T03:04:05.000+00:00"), (19_800, 7, "2026-01-02T03:04:05.007+05:30"),
        (-12_600, 999, "2026-01-02T03:04:05.999-03:30"),
        (50_400, 60, "2026-01-02T03:04:05.060+14:00"),
    ])
    func `a local time has all its digits and its zone`(
        _ offset: Int, _ milliseconds: Int, _ expected: String
    ) {
        var parts = unsafe tm()
        unsafe (parts.tm_year, parts.tm_mon, parts.tm_mday) = (126, 0, 2)
        unsafe (parts.tm_hour, parts.tm_min, parts.tm_sec) = (3, 4, 5)
        unsafe parts.tm_gmtoff = offset
        expect(unsafe LocalTime.text(parts, milliseconds: milliseconds), is: expected)
        unsafe (parts.tm_mon, parts.tm_mday, parts.tm_hour) = (11, 31, 23)
        expect(unsafe LocalTime.text(parts, milliseconds: 0).prefix(13), is: "2026-12-31T23")
    }
}
