/// Connectivity on Apple's systems.
#if canImport(Network)
    import Dispatch
    import Network
    import RelayHTTP
    import Synchronization

    /// The Network framework's monitor, which reports every change on its queue.
    final class PathWatch: Connectivity {
        private let monitor = NWPathMonitor()
        private let wasThere = Mutex(true)

        func watch(on loop: Loop, cameBack: @escaping @Sendable () -> Void) {
            monitor.pathUpdateHandler = { path in
                let isThere = path.status == .satisfied
                let hasComeBack = self.wasThere.withLock { wasThere in
                    defer { wasThere = isThere }
                    return isThere && !wasThere
                }
                if hasComeBack { loop.post(cameBack) }
            }
            monitor.start(queue: DispatchQueue(label: "connectivity"))
        }
    }
#endif
