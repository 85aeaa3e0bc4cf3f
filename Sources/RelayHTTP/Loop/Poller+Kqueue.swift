#if canImport(Darwin)
    import Darwin

    /// kqueue(2), level-triggered: the cost of a wake-up does not grow with the idle connections.
    struct Poller: Sendable {
        private let descriptor: Int32
        /// The token of the user event that wakes `wait`.
        static let wakeupToken = UInt64.max

        init() {
            descriptor = kqueue()
            precondition(descriptor >= 0, "no descriptors left for an event loop")
            submit(1, EVFILT_USER, EV_ADD | EV_CLEAR, 0, Poller.wakeupToken)
        }

        func close() {
            _ = Darwin.close(descriptor)
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

        /// Wakes `wait`, from any thread.
        func ring() {
            submit(1, EVFILT_USER, 0, UInt32(bitPattern: NOTE_TRIGGER), Poller.wakeupToken)
        }

        /// Waits until a descriptor is ready, `ring` is called, or the deadline has come.
        ///
        /// - Parameters:
        ///   - deadline: nil waits for ever.
        ///   - now: the current time.
        func wait(until deadline: Instant?, now: Instant, into ready: inout [Ready]) {
            ready.removeAll(keepingCapacity: true)
            let rest = max(0, (deadline ?? now).nanoseconds - now.nanoseconds)
            var limit = timespec(
                tv_sec: Int(rest / 1_000_000_000), tv_nsec: Int(rest % 1_000_000_000))
            unsafe withUnsafeTemporaryAllocation(of: kevent64_s.self, capacity: 256) { events in
                let count = unsafe withUnsafePointer(to: &limit) { limit in
                    unsafe kevent64(
                        descriptor, nil, 0, events.baseAddress, 256, 0,
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
            unsafe _ = kevent64(descriptor, &event, 1, nil, 0, 0, nil)
        }
    }
#endif
