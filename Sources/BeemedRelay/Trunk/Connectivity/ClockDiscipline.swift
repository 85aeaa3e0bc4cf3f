#if canImport(Glibc)
    import CTimex
#endif

/// The kernel's clock status.
package enum ClockDiscipline {
    /// Whether NTP synchronizes the clock, according to the kernel (adjtimex(2), `STA_UNSYNC`); nil
    /// where it cannot be read. The time may still be wrong: a user may have set it since.
    package static var isSynchronized: Bool? {
        #if canImport(Glibc)
            var state = timex()
            guard unsafe adjtimex(&state) >= 0 else { return nil }
            return state.status & STA_UNSYNC == 0
        #else
            return nil
        #endif
    }
}
