@testable import RelayTrunk

extension BodyReader {
    /// The fields of a body alone.
    static func fields(_ body: [UInt8]) throws(Fault) -> PressFields {
        let fields = try parse(body)
        fields.settle(body)
        return fields
    }
}
