extension Disk {
    /// The bytes in the quarantine folder, as far as they can be read.
    var quarantinedBytes: Int {
        let names = (try? list(.quarantine, "quarantine.count")) ?? []
        return names.reduce(0) { bytes, name in
            bytes + ((try? size(of: StoredFile(.quarantine, name), "quarantine.count")) ?? 0)
        }
    }

    /// Appends all bytes.
    func writeAll(
        _ bytes: [UInt8], to file: FileNumber, _ operation: StaticString
    ) throws(DiskError) {
        var written = 0
        while written < bytes.count {
            written += try writeSome(bytes.span, from: written, to: file, operation)
        }
    }

    /// Appends at least one of the bytes from `start` on, and returns how many.
    func writeSome(
        _ bytes: borrowing Span<UInt8>, from start: Int, to file: FileNumber,
        _ operation: StaticString
    ) throws(DiskError) -> Int {
        let count = try append(bytes, from: start, to: file, operation)
        // write(2) may return zero without an error; repeating it would loop for ever.
        guard count > 0 else { throw DiskError(operation, code: DiskError.noSpace) }
        return count
    }
}
