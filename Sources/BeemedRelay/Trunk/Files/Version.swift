/// The program's version.
package enum Version {
    /// The version, as in CHANGELOG.md.
    package static let number = "0.1.0"
}
