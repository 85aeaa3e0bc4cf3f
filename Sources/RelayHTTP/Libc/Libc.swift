// The C library, under one name on every system: so a file that calls it needs no condition.
#if os(Linux)
    @_exported import Glibc
#else
    @_exported import Darwin
#endif
