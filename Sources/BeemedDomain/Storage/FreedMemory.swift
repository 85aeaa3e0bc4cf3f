#if canImport(Glibc)
    import Glibc
#endif

/// Memory that was freed but is still held by the process.
package enum FreedMemory {
    /// Returns it to the system. Rewriting a journal briefly needs several times its size in
    /// memory; glibc keeps freed memory for later allocations of the same thread, which never come.
    /// `malloc_trim` (malloc_trim(3)) releases its whole pages, in all arenas. Other allocators do
    /// that by themselves.
    package static func giveBack() {
        #if canImport(Glibc)
            // The Glibc module lacks malloc.h, and other C libraries of Linux lack the function.
            guard let symbol = unsafe dlsym(nil, "malloc_trim") else { return }
            typealias Trim = @convention(c) (Int) -> Int32
            _ = unsafe unsafeBitCast(symbol, to: Trim.self)(0)
        #endif
    }
}
