#if canImport(Glibc)
    import CLoader
    import Libc
#endif

/// The pages of the program's file and of its libraries that are mapped into memory.
package enum ProgramPages {
    /// A part of the program or of a library that is mapped from its file (`PT_LOAD` of elf(5)).
    struct Segment: Equatable {
        var bytes: Range<UInt>
        /// Whether something may have been written there, if only by the loader.
        var isWritable: Bool
    }

    /// Unmaps code and constants until they are used again, from the system's cache. The start runs
    /// through much of them, and the relay then needs few: a machine that has little memory may use
    /// the room, and the resident size says what the relay needs. Linux; elsewhere nothing happens.
    ///
    /// Other threads may run, and load and close libraries: the loader calls under the lock under
    /// which it adds to its list and unmaps, and what is in the list is mapped as a whole.
    package static func release() {
        #if canImport(Glibc)
            unsafe relay_each_object(
                { object, _, _ in
                    if let object = unsafe object { unsafe ProgramPages.release(object.pointee) }
                    return 0
                }, nil)
        #endif
    }

    /// The pages of segments that were never written to, but for those that a writable one shares.
    static func unchanged(in segments: [Segment], pageBytes: UInt) -> [Range<UInt>] {
        let pages = segments.map { segment in
            let end = (segment.bytes.upperBound + pageBytes - 1) / pageBytes * pageBytes
            return segment.bytes.lowerBound / pageBytes * pageBytes..<end
        }
        let written = zip(segments, pages).filter(\.0.isWritable).map(\.1)
        return zip(segments, pages).filter { !$0.0.isWritable }.compactMap { _, pages in
            var left = pages
            for other in written where other.overlaps(left) {
                left =
                    other.lowerBound > left.lowerBound
                    ? left.lowerBound..<other.lowerBound
                    : min(other.upperBound, left.upperBound)..<left.upperBound
            }
            return left.isEmpty ? nil : left
        }
    }
}

#if canImport(Glibc)
    extension ProgramPages {
        private static let pageBytes = UInt(sysconf(Int32(_SC_PAGESIZE)))

        /// The kernel's own library, which has no file; zero without one.
        private static let kernelLibrary = UInt(getauxval(UInt(AT_SYSINFO_EHDR)))

        private static func release(_ object: relay_object) {
            guard unsafe !changesItsCode(object) else { return }
            let segments = unsafe segments(of: object)
            guard !segments.contains(where: { $0.bytes.contains(kernelLibrary) }) else { return }
            for pages in unchanged(in: segments, pageBytes: pageBytes) {
                let start = unsafe UnsafeMutableRawPointer(bitPattern: pages.lowerBound)
                unsafe madvise(start, Int(pages.upperBound - pages.lowerBound), MADV_DONTNEED)
            }
        }

        private static func headers(of object: relay_object) -> [relay_segment] {
            unsafe Array(UnsafeBufferPointer(start: object.segments, count: Int(object.count)))
        }

        private static func segments(of object: relay_object) -> [Segment] {
            let parts = unsafe headers(of: object).filter {
                $0.p_type == UInt32(PT_LOAD) && $0.p_memsz > 0
            }
            return parts.map { header in
                let start = unsafe UInt(object.address) &+ UInt(header.p_vaddr)
                // The loader fills the part that the file lacks with zeros.
                let isFilled = header.p_memsz != header.p_filesz
                return Segment(
                    bytes: start..<start + UInt(header.p_memsz),
                    isWritable: header.p_flags & UInt32(PF_W) != 0 || isFilled)
            }
        }

        /// Whether the loader has written addresses into its code, which would be lost.
        private static func changesItsCode(_ object: relay_object) -> Bool {
            let sections = unsafe headers(of: object).filter { $0.p_type == UInt32(PT_DYNAMIC) }
            return sections.contains { section in
                let address = unsafe UInt(object.address) &+ UInt(section.p_vaddr)
                guard var entry = unsafe UnsafePointer<relay_dynamic_entry>(bitPattern: address)
                else { return false }
                while unsafe entry.pointee.d_tag != Int(DT_NULL) {
                    let (tag, flags) = unsafe (entry.pointee.d_tag, entry.pointee.d_un.d_val)
                    if tag == Int(DT_TEXTREL) { return true }
                    if tag == Int(DT_FLAGS), UInt(flags) & UInt(DF_TEXTREL) != 0 { return true }
                    unsafe entry = entry.advanced(by: 1)
                }
                return false
            }
        }
    }
#endif
