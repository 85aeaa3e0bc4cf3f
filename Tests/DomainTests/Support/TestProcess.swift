import Foundation

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The folder of this test process for everything temporary. It is removed when the process ends;
/// what a process has left that was killed, or has crashed, is removed by the next one.
enum TestProcess {
    /// Ends with a slash.
    static let folder: String = {
        let base = NSTemporaryDirectory()
        let files = FileManager.default
        for name in (try? files.contentsOfDirectory(atPath: base)) ?? [] {
            guard name.hasPrefix(prefix), let process = pid_t(name.dropFirst(prefix.count)),
                kill(process, 0) != 0, errno == ESRCH
            else { continue }
            try? files.removeItem(atPath: base + name)
        }
        let path = "\(base)\(prefix)\(getpid())/"
        try? files.createDirectory(atPath: path, withIntermediateDirectories: true)
        atexit { try? FileManager.default.removeItem(atPath: TestProcess.folder) }
        return path
    }()

    private static let prefix = "beemed-domain-tests-"
}
