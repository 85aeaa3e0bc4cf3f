import Foundation

#if canImport(Glibc)
    import Glibc
#endif

/// The pages of the program's own file that are mapped into memory.
enum ProgramPages {
    /// Unmaps code and constants until they are used again, from the system's cache. The start runs
    /// through much of them, and the relay then needs few: a machine that has little memory may use
    /// the room, and the resident size says what the relay needs. Linux; elsewhere nothing happens.
    static func release() {
        #if canImport(Glibc)
            guard let maps = try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8),
                let file = try? FileManager.default.destinationOfSymbolicLink(
                    atPath: "/proc/self/exe")
            else { return }
            for line in maps.split(separator: "\n") where line.hasSuffix(" \(file)") {
                let fields = line.split(separator: " ", maxSplits: 2)
                let bounds = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
                // Read-only pages behind the code were written to when the program was loaded.
                let isCode = fields[1].hasPrefix("r-x")
                guard bounds.count == 2, isCode || fields[1].hasPrefix("r--") else { continue }
                let start = unsafe UnsafeMutableRawPointer(bitPattern: bounds[0])
                unsafe madvise(start, Int(bounds[1] - bounds[0]), MADV_DONTNEED)
                if isCode { return }
            }
        #endif
    }
}
