#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A file descriptor with one owner, closed exactly once.
struct Descriptor: ~Copyable {
    let number: Int32

    init(owning number: Int32) {
        precondition(number >= 0)
        self.number = number
    }

    deinit {
        // EINTR or not, the descriptor is gone; to close it again could hit another one's.
        _ = close(number)
    }
}
