import BeemedDomain

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A folder as one file in the ustar format (POSIX.1-2017, pax, "ustar Interchange Format"), which
/// every `tar xf` reads.
struct Archive {
    private var bytes: [UInt8] = []
    /// The length of a block, in bytes.
    private static let block = 512

    /// Packs a folder with its whole content.
    ///
    /// - Parameter name: the folder's name in the archive.
    /// - Returns: nil if a file cannot be read or does not fit the format.
    init?(of folder: String, as name: String) {
        guard add(folder, as: name) else { return nil }
        bytes += [UInt8](repeating: 0, count: 2 * Archive.block)
    }

    /// Writes it to a new file, readable only by its owner. The file has its name when it is whole:
    /// half of an archive must not look like a backup.
    func write(to path: String) throws(DiskError) {
        try PrivateFile.write(bytes, to: path, isAmongOthers: true)
    }

    private mutating func add(_ path: String, as name: String) -> Bool {
        guard let kind = try? FileManager.default.attributesOfItem(atPath: path)[.type] else {
            return false
        }
        guard kind as? FileAttributeType == .typeDirectory else {
            guard let contents = FileManager.default.contents(atPath: path),
                let header = Archive.header(name, size: contents.count, isFolder: false)
            else { return false }
            bytes += header
            bytes += contents
            bytes += [UInt8](repeating: 0, count: -contents.count & (Archive.block - 1))
            return true
        }
        guard let header = Archive.header("\(name)/", size: 0, isFolder: true),
            let names = try? FileManager.default.contentsOfDirectory(atPath: path)
        else { return false }
        bytes += header
        return names.sorted().allSatisfy { add("\(path)/\($0)", as: "\(name)/\($0)") }
    }

    private static func header(_ name: String, size: Int, isFolder: Bool) -> [UInt8]? {
        guard name.utf8.count <= 100, size < 1 << 33 else { return nil }
        var header = [UInt8](repeating: 0, count: block)
        func put(_ text: String, at place: Int) {
            header.replaceSubrange(place..<(place + text.utf8.count), with: text.utf8)
        }
        func octal(_ value: Int, _ digits: Int) -> String {
            let text = String(value, radix: 8)
            return String(repeating: "0", count: max(0, digits - text.count)) + text
        }
        put(name, at: 0)
        put(octal(isFolder ? 0o700 : 0o600, 7), at: 100)
        put(octal(0, 7), at: 108)
        put(octal(0, 7), at: 116)
        put(octal(size, 11), at: 124)
        put(octal(Int(Date().timeIntervalSince1970), 11), at: 136)
        put("        ", at: 148)  // The checksum is computed with blanks here.
        put(isFolder ? "5" : "0", at: 156)
        put("ustar", at: 257)
        put("00", at: 263)
        put(octal(header.reduce(0) { $0 + Int($1) }, 6), at: 148)
        header[154] = 0
        return header
    }
}
