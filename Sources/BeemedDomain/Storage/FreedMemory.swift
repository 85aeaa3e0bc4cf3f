#if canImport(Glibc)
    import Glibc
#endif

/// Memory that was freed and that the process still holds.
package enum FreedMemory {
    /// Gives it back to the system. To rewrite a journal takes several times its size in memory for
    /// a second; glibc keeps what is freed for the next allocations of the same thread, which never
    /// come. `malloc_trim` (malloc_trim(3)) releases the whole pages among it, in all arenas.
    /// Elsewhere the allocator does that by itself.
    package static func giveBack() {
        #if canImport(Glibc)
            // The Glibc module leaves malloc.h out, and other libraries of Linux lack the function.
            guard let symbol = unsafe dlsym(nil, "malloc_trim") else { return }
            typealias Trim = @convention(c) (Int) -> Int32
            _ = unsafe unsafeBitCast(symbol, to: Trim.self)(0)
        #endif
    }
}
