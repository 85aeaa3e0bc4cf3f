#if canImport(Glibc)
    import Glibc
#endif

/// The pages of the program's file and of its libraries that are mapped into memory.
enum ProgramPages {
    /// Unmaps code and constants until they are used again, from the system's cache. The start runs
    /// through much of them, and the relay then needs few: a machine that has little memory may use
    /// the room, and the resident size says what the relay needs. Linux; elsewhere nothing happens.
    ///
    /// - Parameter withLibraries: only while no other thread can load one, as the first request
    ///   does: what is written to a library between the look at it and its release would be lost.
    static func release(withLibraries: Bool) {
        #if canImport(Glibc)
            guard let maps = (try? PrivateFile.read("/proc/self/smaps")).flatMap(\.self) else {
                return
            }
            for range in unchanged(in: maps, of: withLibraries ? nil : ownFile(in: maps)) {
                let start = unsafe UnsafeMutableRawPointer(bitPattern: range.lowerBound)
                unsafe madvise(start, Int(range.upperBound - range.lowerBound), MADV_DONTNEED)
            }
        #endif
    }

    /// The mappings of files that cannot be written to and never were: what was written to when a
    /// library was loaded exists in memory only, and would be lost.
    ///
    /// - Parameters:
    ///   - maps: the text of `/proc/self/smaps` (proc(5)).
    ///   - file: the only file whose mappings count; nil for all.
    static func unchanged(in maps: [UInt8], of file: String? = nil) -> [Range<UInt>] {
        var found: [Range<UInt>] = []
        var candidate: Range<UInt>?
        for line in maps.split(separator: 0x0A) {
            if line.starts(with: "Anonymous:".utf8) {
                let isUnchanged =
                    line.dropFirst(10).contains { $0 == 0x30 }
                    && !line.contains { (0x31...0x39).contains($0) }
                if isUnchanged, let candidate { found.append(candidate) }
                candidate = nil
            } else if line.contains(0x2D), let range = mapping(line, of: file) {
                candidate = range
            }
        }
        return found
    }

    /// The program's file: the first one that is mapped.
    static func ownFile(in maps: [UInt8]) -> String {
        let line = maps.prefix { $0 != 0x0A }
        let path = line.firstIndex(of: 0x2F).map { line[$0...] } ?? []
        return String(decoding: path, as: UTF8.self)
    }

    /// The bounds of a read-only mapping of a file, from the first line about it:
    /// `55e0-55f0 r-xp 00000000 08:01 1234  /usr/bin/program`.
    private static func mapping(_ line: ArraySlice<UInt8>, of file: String?) -> Range<UInt>? {
        let fields = String(decoding: line, as: UTF8.self)
            .split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
        guard fields.count == 6, ["r--p", "r-xp"].contains(fields[1]), fields[5].contains("/")
        else {
            return nil
        }
        let path = fields[5].drop { $0 == " " }
        guard file.map({ path == $0 }) ?? true else { return nil }
        let bounds = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
        guard bounds.count == 2, bounds[0] < bounds[1] else { return nil }
        return bounds[0]..<bounds[1]
    }
}
