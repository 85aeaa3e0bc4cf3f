#if canImport(Glibc)
    import CTimex
#endif

/// What the kernel knows of the clock.
enum ClockDiscipline {
    /// Whether NTP keeps the clock, by the kernel's word (adjtimex(2), `STA_UNSYNC`); nil where it
    /// cannot be asked. It does not say that the time is right: somebody may have set it since.
    static var isSynchronized: Bool? {
        #if canImport(Glibc)
            var state = timex()
            guard unsafe adjtimex(&state) >= 0 else { return nil }
            return state.status & STA_UNSYNC == 0
        #else
            return nil
        #endif
    }
}
