@testable import BeemedDomain

extension Disk {
    /// The same with an array.
    @discardableResult
    func write(
        _ bytes: [UInt8], from offset: Int = 0, to file: FileNumber, at position: Int,
        _ operation: StaticString
    ) throws(DiskError) -> Int {
        try write(bytes.span, from: offset, to: file, at: position, operation)
    }
}
