import Libc

/// The state of one descriptor, reported by a poller.
package struct Ready: Sendable {
    /// The token it was registered with.
    package var token: UInt64
    /// There is input, or the end of input.
    package var canRead: Bool
    /// There is room for output.
    package var canWrite: Bool
    /// The descriptor cannot be used further: reset, or closed in both directions.
    package var isBroken: Bool
}

/// The kinds of readiness that a poller reports.
package struct Interest: Equatable, Sendable {
    var read: Bool
    var write: Bool
}

/// A file descriptor with one owner, closed exactly once.
struct Descriptor: ~Copyable, Sendable {
    let number: Int32

    init(owning number: Int32) {
        precondition(number >= 0, "no descriptors left: error \(errno)")
        self.number = number
    }

    deinit {
        // After EINTR too, the descriptor is closed; to close it again could close another one's.
        _ = close(number)
    }
}

#if os(Linux)
    import CEpoll

    /// epoll(7), level-triggered: the cost of a wake-up does not grow with the idle connections.
    struct Poller: ~Copyable, Sendable {
        private let descriptor: Descriptor
        private let wakeup: Descriptor
        private let timer: Descriptor
        /// That of the poller's own descriptors, which only end a wait.
        private static let ownToken = UInt64.max
        /// How long to look for more after events before the thread sleeps, in seconds: a quick
        /// client's next request comes sooner than a thread wakes. Without it `GET /context` at one
        /// connection has 0.40 of the speed, a press 0.95; nobody feels it at more connections.
        private static let lookSeconds = 0.000_05
        /// The most events of a wait.
        private static let maxEvents = 256

        init() {
            descriptor = Descriptor(owning: epoll_create1(Int32(EPOLL_CLOEXEC)))
            wakeup = Descriptor(owning: eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK)))
            let flags = Int32(TFD_CLOEXEC) | Int32(TFD_NONBLOCK)
            timer = Descriptor(owning: timerfd_create(Instant.clock, flags))
            // Edge-triggered: they ring once each time, and need not be read.
            for own in [wakeup.number, timer.number] {
                control(EPOLL_CTL_ADD, own, Poller.ownToken, EPOLLIN.rawValue | EPOLLET.rawValue)
            }
        }

        func add(_ file: Int32, token: UInt64, _ interest: Interest) {
            control(EPOLL_CTL_ADD, file, token, Poller.events(interest))
        }

        func change(_ file: Int32, token: UInt64, _ interest: Interest) {
            control(EPOLL_CTL_MOD, file, token, Poller.events(interest))
        }

        func remove(_ file: Int32) {
            control(EPOLL_CTL_DEL, file, 0, 0)
        }

        /// Wakes `wait`, from any thread.
        func ring() {
            _ = eventfd_write(wakeup.number, 1)
        }

        /// Waits until a descriptor is ready, `ring` is called, or the deadline has come. May end
        /// earlier, without anything ready.
        ///
        /// - Parameters:
        ///   - deadline: nil waits for ever.
        ///   - now: the current time.
        ///   - ready: the same list in every call; the ready ones replace its contents.
        ///   - alarm: the time that the timer has been set to, the same variable in every call.
        func wait(
            until deadline: Instant?, now: Instant, _ alarm: inout Instant,
            into ready: inout [Ready]
        ) {
            let looksUntil = ready.isEmpty ? now : now.advanced(bySeconds: Poller.lookSeconds)
            ready.removeAll(keepingCapacity: true)
            let isOver = deadline.map { $0 <= now } ?? false
            // To be woken too early costs less than to set the timer in each turn. Its time is a
            // difference: a library that moves a program's wall clock moves times of this one, too.
            if !isOver, let deadline, deadline < alarm || alarm <= now {
                setTimer(nanoseconds: deadline.nanoseconds - now.nanoseconds)
                alarm = deadline
            }
            unsafe withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: Poller.maxEvents) {
                events in
                var (count, sleeps): (Int32, Bool)
                repeat {
                    sleeps = !isOver && .now >= looksUntil
                    count = unsafe epoll_wait(
                        descriptor.number, events.baseAddress, Int32(events.count), sleeps ? -1 : 0)
                    // Below zero after a signal.
                } while count == 0 && !isOver && !sleeps
                for index in 0..<max(0, Int(count)) {
                    let event = unsafe events[index]
                    let token = unsafe event.data.u64
                    guard token != Poller.ownToken else { continue }
                    unsafe ready.append(Poller.ready(token, event.events))
                }
            }
        }

        private func setTimer(nanoseconds: Int64) {
            var setting = itimerspec()
            setting.it_value = timespec(
                tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
            let result = unsafe timerfd_settime(timer.number, 0, &setting, nil)
            precondition(result == 0, "timerfd_settime: \(errno)")
        }

        private static func ready(_ token: UInt64, _ events: UInt32) -> Ready {
            Ready(
                token: token,
                canRead: events & (EPOLLIN.rawValue | EPOLLRDHUP.rawValue) != 0,
                canWrite: events & EPOLLOUT.rawValue != 0,
                isBroken: events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0)
        }

        private static func events(_ interest: Interest) -> UInt32 {
            (interest.read ? EPOLLIN.rawValue : 0) | (interest.write ? EPOLLOUT.rawValue : 0)
        }

        private func control(_ verb: Int32, _ file: Int32, _ token: UInt64, _ events: UInt32) {
            var event = unsafe epoll_event()
            unsafe event.events = events
            unsafe event.data.u64 = token
            let result = unsafe epoll_ctl(descriptor.number, verb, file, &event)
            // Without memory or watches the connection gets no events and ends at its deadline.
            let isForeseen = errno == ENOENT || errno == ENOMEM || errno == ENOSPC
            precondition(result == 0 || isForeseen, "epoll_ctl: \(errno)")
        }
    }
#endif

#if !os(Linux)
    /// The same with kqueue(2).
    struct Poller: ~Copyable, Sendable {
        private let descriptor: Descriptor
        private static let wakeupToken = UInt64.max

        init() {
            descriptor = Descriptor(owning: kqueue())
            submit(1, EVFILT_USER, EV_ADD | EV_CLEAR, 0, Poller.wakeupToken)
        }

        func add(_ file: Int32, token: UInt64, _ interest: Interest) {
            change(file, token: token, interest)
        }

        func change(_ file: Int32, token: UInt64, _ interest: Interest) {
            submit(UInt(file), EVFILT_READ, interest.read ? EV_ADD : EV_DELETE, 0, token)
            submit(UInt(file), EVFILT_WRITE, interest.write ? EV_ADD : EV_DELETE, 0, token)
        }

        func remove(_ file: Int32) {
            change(file, token: 0, Interest(read: false, write: false))
        }

        func ring() {
            submit(1, EVFILT_USER, 0, UInt32(bitPattern: NOTE_TRIGGER), Poller.wakeupToken)
        }

        func wait(
            until deadline: Instant?, now: Instant, _ alarm: inout Instant,
            into ready: inout [Ready]
        ) {
            ready.removeAll(keepingCapacity: true)
            let rest = max(0, (deadline ?? now).nanoseconds - now.nanoseconds)
            var limit = timespec(
                tv_sec: Int(rest / 1_000_000_000), tv_nsec: Int(rest % 1_000_000_000))
            unsafe withUnsafeTemporaryAllocation(of: kevent64_s.self, capacity: 256) { events in
                let count = unsafe withUnsafePointer(to: &limit) { limit in
                    unsafe kevent64(
                        descriptor.number, nil, 0, events.baseAddress, 256, 0,
                        deadline == nil ? nil : limit)
                }
                for index in 0..<max(0, Int(count)) {
                    let event = unsafe events[index]
                    guard event.udata != Poller.wakeupToken else { continue }
                    // The end of input is reported as input: read(2) then returns the end.
                    ready.append(
                        Ready(
                            token: event.udata,
                            canRead: Int32(event.filter) == EVFILT_READ,
                            canWrite: Int32(event.filter) == EVFILT_WRITE, isBroken: false))
                }
            }
        }

        /// To delete a filter that does not exist is no error: ENOENT is ignored.
        private func submit(
            _ ident: UInt, _ filter: Int32, _ flags: Int32, _ note: UInt32, _ token: UInt64
        ) {
            var event = kevent64_s(
                ident: UInt64(ident), filter: Int16(filter), flags: UInt16(flags), fflags: note,
                data: 0, udata: token, ext: (0, 0))
            unsafe _ = kevent64(descriptor.number, &event, 1, nil, 0, 0, nil)
        }
    }
#endif
