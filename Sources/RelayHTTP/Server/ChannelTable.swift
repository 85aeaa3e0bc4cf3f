/// The connections of a server, by slot. A generation tells the users of one slot apart, so that
/// neither a late event nor a late answer reaches the wrong one.
struct ChannelTable {
    private var channels: [Channel?] = []
    private var free: [Int] = []
    private var generation: UInt32 = 0
    private var countByAddress: [Address: Int] = [:]
    private(set) var count = 0
    /// The room for content that has not all come.
    private var room: BodyRoom
    /// Those who wait for room there, in the order they came.
    private var waiting: [(slot: Int, generation: UInt32)] = []

    init(_ limits: Limits) {
        room = BodyRoom(limits)
    }

    /// Every slot there is, the empty ones too.
    var slots: Range<Int> { channels.indices }

    subscript(_ slot: Int) -> Channel? { channels[slot] }

    subscript(_ slot: Int, _ generation: UInt32) -> Channel? {
        guard slot < channels.count, let channel = channels[slot] else { return nil }
        return channel.generation == generation ? channel : nil
    }

    func holds(_ channel: Channel, at slot: Int) -> Bool { channels[slot] === channel }

    func count(of address: Address) -> Int { countByAddress[address, default: 0] }

    mutating func insert(
        _ descriptor: consuming Descriptor, _ peer: Endpoint, limits: Limits, now: Instant
    ) -> (slot: Int, channel: Channel) {
        generation &+= 1
        let channel = Channel(
            descriptor, peer, generation: generation & Token.generationMask, limits: limits,
            now: now)
        count += 1
        countByAddress[peer.address, default: 0] += 1
        if let slot = free.popLast() {
            channels[slot] = channel
            return (slot, channel)
        }
        channels.append(channel)
        return (channels.count - 1, channel)
    }

    /// Forgets the channel, which closes its socket; a closed socket leaves the poller by itself.
    mutating func remove(_ slot: Int) {
        guard let channel = channels[slot] else { return }
        release(channel)
        channels[slot] = nil
        free.append(slot)
        count -= 1
        let rest = countByAddress[channel.peer.address, default: 1] - 1
        countByAddress[channel.peer.address] = rest == 0 ? nil : rest
    }

    /// Has the content of this channel's request taken, now or when there is room for it.
    ///
    /// - Returns: whether there is.
    mutating func seat(_ slot: Int, _ channel: Channel, _ seat: BodyRoom.Seat) -> Bool {
        if room.take(seat) {
            channel.seat = seat
            return true
        }
        channel.awaitedSeat = seat
        waiting.append((slot, channel.generation))
        return false
    }

    /// Gives back what was promised to a channel, when its content is complete or void.
    mutating func release(_ channel: Channel) {
        channel.awaitedSeat = nil
        guard let seat = channel.seat else { return }
        room.leave(seat)
        channel.seat = nil
    }

    /// Whether somebody waits for room.
    var isCrowded: Bool { !waiting.isEmpty }

    /// Seats those who have waited and for whom there is room now.
    mutating func seatWaiting() -> [(slot: Int, channel: Channel)] {
        var seated: [(slot: Int, channel: Channel)] = []
        waiting = waiting.filter { slot, generation in
            guard let channel = self[slot, generation], let seat = channel.awaitedSeat else {
                return false
            }
            guard room.take(seat) else { return true }
            channel.awaitedSeat = nil
            channel.seat = seat
            seated.append((slot, channel))
            return false
        }
        return seated
    }

    /// Where room can be made: the connection whose peer has been silent longest, as
    /// `Connection.creditSeconds` counts it. One of this very turn has had no chance to speak.
    func quietest(of address: Address?, now: Instant) -> Int? {
        var quietest: (slot: Int, since: Instant)?
        for (slot, channel) in channels.enumerated() {
            guard let channel, channel.lastActive < now,
                address == nil || channel.peer.address == address,
                let credit = channel.connection.creditSeconds
            else { continue }
            let since = channel.lastActive.advanced(bySeconds: credit)
            if since < quietest?.since ?? .distantFuture { quietest = (slot, since) }
        }
        return quietest?.slot
    }

    /// Where room can be made otherwise: the connection whose request has waited longest for
    /// something to happen.
    func longestWaiting(of address: Address?) -> Int? {
        var longest: (slot: Int, since: Instant)?
        for (slot, channel) in channels.enumerated() {
            guard let channel, channel.connection.isWaiting,
                address == nil || channel.peer.address == address
            else { continue }
            if channel.waitingSince < longest?.since ?? .distantFuture {
                longest = (slot, channel.waitingSince)
            }
        }
        return longest?.slot
    }
}

/// The number a descriptor is registered under: source, listener or channel, generation, slot.
enum Token {
    static let listenerBit: UInt64 = 1 << 55
    static let generationMask: UInt32 = 0x7F_FFFF

    static func listener(_ source: UInt64) -> UInt64 { source << 56 | listenerBit }

    static func channel(_ source: UInt64, _ slot: Int, _ generation: UInt32) -> UInt64 {
        source << 56 | UInt64(generation) << 32 | UInt64(slot)
    }

    static func slot(_ token: UInt64) -> Int { Int(token & 0xFFFF_FFFF) }

    static func generation(_ token: UInt64) -> UInt32 {
        UInt32(token >> 32) & generationMask
    }
}
