import RelayHTTP

extension Timeouts {
    /// Timeouts for tests about something else: a test's client that gets no processor for a while
    /// is no slow client.
    static var unhurried: Timeouts {
        var timeouts = Timeouts()
        timeouts.idle = HangLimit.seconds
        timeouts.head = HangLimit.seconds
        timeouts.body = HangLimit.seconds
        timeouts.write = HangLimit.seconds
        timeouts.linger = HangLimit.seconds
        // A client on the thread that stops the server can close nothing meanwhile.
        timeouts.drain = 1
        return timeouts
    }
}

extension Limits {
    /// The limits of a server, with unhurried timeouts.
    static var unhurried: Limits {
        var limits = Limits()
        limits.timeouts = .unhurried
        return limits
    }
}
