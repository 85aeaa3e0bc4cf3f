@testable import BeemedDomain

extension Disk {
    /// The same with an array.
    func append(
        _ bytes: [UInt8], from offset: Int, to file: FileNumber, _ operation: StaticString
    ) throws(DiskError) -> Int {
        try append(bytes.span, from: offset, to: file, operation)
    }

    /// The same with an array.
    func overwrite(
        _ file: FileNumber, at position: Int, with bytes: [UInt8], _ operation: StaticString
    ) throws(DiskError) {
        try overwrite(file, at: position, with: bytes.span, operation)
    }
}
