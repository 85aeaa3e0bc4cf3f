/// The program's version.
enum Version {
    static let number = "0.1.0"
    /// When it was released, for the manual page.
    static let date = "2026-11-22"
}
