@testable import RelayTrunk

extension Log {
    /// Writes nothing.
    static let silent = Log(level: .error) { _ in }
}
