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
        // After EINTR too, the descriptor is closed; to close it again could close another one's.
        _ = close(number)
    }
}
