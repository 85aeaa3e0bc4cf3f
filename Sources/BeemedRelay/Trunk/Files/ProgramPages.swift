#if os(Linux)
    import CLoader
#endif

/// The pages of the program's code in memory.
package enum ProgramPages {
    /// Unmaps them until they are used again, from the system's cache. The start runs through much
    /// of them, and the relay then needs few: a machine that has little memory may use the room, and
    /// the resident size says what the relay needs. Linux; elsewhere nothing happens.
    package static func release() {
        #if os(Linux)
            _ = relay_release_code()
        #endif
    }
}
