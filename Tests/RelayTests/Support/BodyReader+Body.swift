@testable import RelayTrunk

extension BodyReader {
    /// The fields of a body alone.
    static func fields(_ body: [UInt8]) throws(Problem) -> PressFields {
        let fields = try parse(body)
        fields.settle(body)
        return fields
    }
}

extension Problem: Equatable {
    /// Whether both say the same.
    static func == (one: Problem, other: Problem) -> Bool {
        one.code == other.code && one.detail == other.detail
    }
}
