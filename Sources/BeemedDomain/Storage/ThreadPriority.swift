#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The share of the processors that a thread gets.
enum ThreadPriority {
    /// Gives this thread less than others that want to run, for the rest of its life: where all
    /// cores are busy a press must not wait until work that has time gives one up.
    static func lower() {
        #if canImport(Darwin)
            _ = pthread_set_qos_class_self_np(QOS_CLASS_UTILITY, 0)
        #else
            // On Linux that is the calling thread alone (setpriority(2), "C library/kernel
            // differences").
            _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
        #endif
    }
}
