@testable import BeemedRelay

extension Log {
    /// Writes nothing.
    static let silent = Log(level: .error) { _ in }
}
