import RelayHTTP
import Testing

@testable import BeeminderSimulator
@testable import RelayTrunk

/// What the kernel says when networks come and go, as it was recorded.
@Suite struct NetworkPictureTests {
    private static func bytes(_ number: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> UInt32($0 * 8)) }
    }

    private static func half(_ number: UInt16) -> [UInt8] {
        [UInt8(truncatingIfNeeded: number), UInt8(number >> 8)]
    }

    private static func message(_ type: UInt16, _ body: [UInt8]) -> [UInt8] {
        let length = UInt32(16 + body.count)
        let padding = [UInt8](repeating: 0, count: (4 - body.count % 4) % 4)
        return bytes(length) + half(type) + half(0) + bytes(0) + bytes(0) + body + padding
    }

    private static func attribute(_ type: UInt16, _ value: [UInt8]) -> [UInt8] {
        let padding = [UInt8](repeating: 0, count: (4 - value.count % 4) % 4)
        return half(UInt16(4 + value.count)) + half(type) + value + padding
    }

    static func link(_ index: UInt32, flags: UInt32, gone: Bool = false) -> [UInt8] {
        let body = [0, 0] + half(1) + bytes(index) + bytes(flags) + bytes(0)
        return message(gone ? 17 : 16, body + attribute(3, Array("eth0".utf8) + [0]))
    }

    static func address(
        _ value: [UInt8], on index: UInt32 = 2, scope: UInt8 = 0, gone: Bool = false
    ) -> [UInt8] {
        let body: [UInt8] = [value.count == 4 ? 2 : 10, 24, 0, scope] + bytes(index)
        return message(gone ? 21 : 20, body + attribute(1, value) + attribute(6, bytes(1)))
    }

    static func route(
        prefix: UInt8 = 0, gateway: [UInt8] = [10, 0, 0, 1], type: UInt8 = 1, gone: Bool = false
    ) -> [UInt8] {
        let body: [UInt8] = [2, prefix, 0, 0, 254, 16, 0, type] + bytes(0)
        let attributes = attribute(15, bytes(254)) + attribute(5, gateway) + attribute(4, bytes(2))
        return message(gone ? 25 : 24, body + attributes)
    }

    /// Up and running; up without a carrier; the loopback.
    static let (running, idle, loopback) = (UInt32(0x1_1043), UInt32(0x1003), UInt32(0x49))

    private func news(_ messages: [UInt8]...) -> [Bool] {
        var picture = NetworkPicture()
        return messages.map { bytes in picture.parse(bytes[...]) }
    }

    @Test func `hears of a link that gets its carrier back`() {
        let up = Self.link(2, flags: Self.running)
        let down = Self.link(2, flags: Self.idle)
        #expect(news(up, up, down, up, down) == [true, false, false, true, false])
        #expect(news(up, Self.link(2, flags: Self.running, gone: true), up) == [true, false, true])
    }

    @Test func `hears of an address once, however often it is repeated`() {
        let address = Self.address([192, 168, 1, 7])
        #expect(
            news(address, address, Self.address([192, 168, 1, 7], gone: true), address)
                == [true, false, false, true])
        #expect(news(address, Self.address([192, 168, 1, 7], on: 3)) == [true, true])
    }

    @Test func `hears of a default route`() {
        let route = Self.route()
        #expect(news(route, route, Self.route(gone: true), route) == [true, false, false, true])
        #expect(news(route, Self.route(gateway: [10, 0, 0, 2])) == [true, true])
    }

    @Test func `does not care for what leads nowhere`() {
        let link6 = [UInt8](repeating: 0xFE, count: 16)
        #expect(
            news(
                Self.link(1, flags: Self.loopback), Self.address(link6, scope: 253),
                Self.address([127, 0, 0, 1], scope: 254), Self.route(prefix: 24),
                Self.route(type: 2), Self.message(28, [0, 0, 0, 0])
            ) == [false, false, false, false, false, false])
    }

    @Test func `reads several messages of one read`() {
        let down = Self.link(2, flags: Self.idle)
        #expect(news(down + Self.address([10, 0, 0, 2]) + down) == [true])
        #expect(news(down + down) == [false])
    }

    @Test func `survives any bytes`() {
        var random = SeededGenerator(seed: 3)
        let whole = Self.link(2, flags: Self.running) + Self.address([10, 0, 0, 2]) + Self.route()
        var picture = NetworkPicture()
        for cut in 0...whole.count { _ = picture.parse(whole[..<cut]) }
        for _ in 0..<5_000 {
            var bytes = whole
            for _ in 0..<3 {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                bytes[place] = UInt8.random(in: 0...255, using: &random)
            }
            _ = picture.parse(bytes[...])
        }
    }

    @Test func `forgets rather than grows`() {
        var picture = NetworkPicture()
        for number in UInt32(0)..<5_000 {
            _ = picture.parse(Self.address(Self.bytes(number))[...])
        }
        let isNews = picture.parse(Self.address(Self.bytes(0))[...])
        #expect(isNews)
    }
}

@Suite struct DebounceTests {
    private func at(_ seconds: Double) -> Instant {
        Instant(nanoseconds: Int64((1_000 + seconds) * 1e9))
    }

    @Test func `says once what comes in a burst, within a second`() {
        var debounce = Debounce()
        #expect(debounce.wake == nil)
        for time in [0, 0.1, 0.2] { debounce.update(at: at(time)) }
        #expect(debounce.wake == at(0.3))
        let fired = [0.29, 0.3, 0.3].map { debounce.fires(at: at($0)) }
        #expect(fired == [false, true, false])
        #expect(debounce.wake == nil)
    }

    @Test func `says it at most once a second`() {
        var debounce = Debounce()
        debounce.update(at: at(0))
        let first = debounce.fires(at: at(0.3))
        debounce.update(at: at(0.4))
        #expect(debounce.wake == at(1.3))
        let later = [1, 1.3].map { debounce.fires(at: at($0)) }
        #expect([first] + later == [true, false, true])
    }
}
