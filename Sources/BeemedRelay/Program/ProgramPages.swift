#if canImport(Glibc)
    import Glibc
#endif

/// The pages of the program's file and of its libraries that are mapped into memory.
enum ProgramPages {
    /// Unmaps code and constants until they are used again, from the system's cache. The start runs
    /// through much of them, and the relay then needs few: a machine that has little memory may use
    /// the room, and the resident size says what the relay needs. Linux; elsewhere nothing happens.
    static func release() {
        #if canImport(Glibc)
            guard let maps = (try? PrivateFile.read("/proc/self/smaps")).flatMap(\.self) else {
                return
            }
            for range in unchanged(in: maps) {
                let start = unsafe UnsafeMutableRawPointer(bitPattern: range.lowerBound)
                unsafe madvise(start, Int(range.upperBound - range.lowerBound), MADV_DONTNEED)
            }
        #endif
    }

    /// The mappings of files that cannot be written to and never were: what was written to when a
    /// library was loaded exists in memory only, and would be lost.
    ///
    /// - Parameter maps: the text of `/proc/self/smaps` (proc(5)).
    static func unchanged(in maps: [UInt8]) -> [Range<UInt>] {
        var found: [Range<UInt>] = []
        var candidate: Range<UInt>?
        for line in maps.split(separator: 0x0A) {
            if line.starts(with: "Anonymous:".utf8) {
                let isUnchanged =
                    line.dropFirst(10).contains { $0 == 0x30 }
                    && !line.contains { (0x31...0x39).contains($0) }
                if isUnchanged, let candidate { found.append(candidate) }
                candidate = nil
            } else if line.contains(0x2D), let range = mapping(line) {
                candidate = range
            }
        }
        return found
    }

    /// The bounds of a read-only mapping of a file, from the first line about it:
    /// `55e0-55f0 r-xp 00000000 08:01 1234  /usr/bin/program`.
    private static func mapping(_ line: ArraySlice<UInt8>) -> Range<UInt>? {
        let fields = String(decoding: line, as: UTF8.self)
            .split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
        guard fields.count == 6, ["r--p", "r-xp"].contains(fields[1]), fields[5].contains("/")
        else {
            return nil
        }
        let bounds = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
        guard bounds.count == 2, bounds[0] < bounds[1] else { return nil }
        return bounds[0]..<bounds[1]
    }
}
