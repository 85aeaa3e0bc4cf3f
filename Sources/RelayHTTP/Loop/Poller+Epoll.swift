#if os(Linux)
    import CEpoll
    import Glibc

    /// epoll(7), level-triggered: the cost of a wake-up does not grow with the idle connections.
    struct Poller: Sendable {
        private let descriptor: Int32
        private let wakeup: Int32
        /// The token of the event that wakes `wait`.
        static let bellToken = UInt64.max

        init() {
            descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
            wakeup = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
            precondition(descriptor >= 0 && wakeup >= 0, "no descriptors left for an event loop")
            add(wakeup, token: Poller.bellToken, Interest(read: true, write: false))
        }

        func close() {
            _ = Glibc.close(wakeup)
            _ = Glibc.close(descriptor)
        }

        func add(_ file: Int32, token: UInt64, _ interest: Interest) {
            control(EPOLL_CTL_ADD, file, token, interest)
        }

        func change(_ file: Int32, token: UInt64, _ interest: Interest) {
            control(EPOLL_CTL_MOD, file, token, interest)
        }

        func remove(_ file: Int32) {
            control(EPOLL_CTL_DEL, file, 0, Interest(read: false, write: false))
        }

        /// Wakes `wait`, from any thread.
        func ring() {
            _ = eventfd_write(wakeup, 1)
        }

        /// Waits until a descriptor is ready or the timeout has passed.
        ///
        /// - Parameter milliseconds: the timeout; nil waits for ever.
        func wait(milliseconds: Int?, into ready: inout [Ready]) {
            ready.removeAll(keepingCapacity: true)
            let timeout = Int32(clamping: milliseconds ?? -1)
            unsafe withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: 256) { events in
                let count = unsafe epoll_wait(descriptor, events.baseAddress, 256, timeout)
                for index in 0..<max(0, Int(count)) {
                    let event = unsafe events[index]
                    let token = unsafe event.data.u64
                    if token == Poller.bellToken {
                        var rings: eventfd_t = 0
                        _ = unsafe eventfd_read(wakeup, &rings)
                        continue
                    }
                    unsafe ready.append(Poller.ready(token, event.events))
                }
            }
        }

        private static func ready(_ token: UInt64, _ events: UInt32) -> Ready {
            Ready(
                token: token,
                canRead: events & (EPOLLIN.rawValue | EPOLLRDHUP.rawValue) != 0,
                canWrite: events & EPOLLOUT.rawValue != 0,
                isBroken: events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0)
        }

        private func control(_ verb: Int32, _ file: Int32, _ token: UInt64, _ interest: Interest) {
            var event = unsafe epoll_event()
            unsafe event.events =
                (interest.read ? EPOLLIN.rawValue : 0) | (interest.write ? EPOLLOUT.rawValue : 0)
            unsafe event.data.u64 = token
            let result = unsafe epoll_ctl(descriptor, verb, file, &event)
            // Without memory or watches the connection gets no events and ends at its deadline.
            let isForeseen = errno == ENOENT || errno == ENOMEM || errno == ENOSPC
            precondition(result == 0 || isForeseen, "epoll_ctl: \(errno)")
        }
    }
#endif
