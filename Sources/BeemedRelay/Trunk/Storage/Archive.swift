package import BeemedDomain
import Foundation

/// A folder as one file in the ustar format (POSIX.1-2017, pax, "ustar Interchange Format"), which
/// every `tar xf` reads.
package struct Archive {
    private struct Member {
        let header: [UInt8]
        /// The file with the contents; nil of a folder.
        var file: (path: String, size: Int)?
    }

    private var members: [Member] = []
    /// The length of a block, in bytes.
    private static let block = 512

    /// Packs a folder with its whole content, of which none is read before it is written.
    ///
    /// - Parameter name: the folder's name in the archive.
    /// - Returns: nil if the folder cannot be read or a file does not fit the format.
    package init?(of folder: String, as name: String) {
        guard add(folder, as: name) else { return nil }
    }

    /// Writes the archive to a new file, readable only by its owner. Only a whole file has its
    /// name: half of an archive must not look like a backup.
    package func write(to path: String) throws(DiskError) {
        try PrivateFile.write(to: path, isAmongOthers: true) { archive throws(DiskError) in
            for member in members {
                try PrivateFile.writeAll(member.header, to: archive)
                guard let file = member.file else { continue }
                let copied = try PrivateFile.append(contentsOf: file.path, to: archive)
                // The header has told another length.
                guard copied.size == file.size else {
                    throw DiskError("archive.read", code: DiskError.inputOutput)
                }
                let rest = -file.size & (Archive.block - 1)
                try PrivateFile.writeAll([UInt8](repeating: 0, count: rest), to: archive)
            }
            let end = [UInt8](repeating: 0, count: 2 * Archive.block)
            try PrivateFile.writeAll(end, to: archive)
        }
    }

    private mutating func add(_ path: String, as name: String) -> Bool {
        if let size = PrivateFile.size(of: path) {
            guard let header = Archive.header(name, size: size, isFolder: false) else {
                return false
            }
            members.append(Member(header: header, file: (path, size)))
            return true
        }
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        guard attributes?[.type] as? FileAttributeType == .typeDirectory,
            let header = Archive.header("\(name)/", size: 0, isFolder: true),
            let names = try? FileManager.default.contentsOfDirectory(atPath: path)
        else { return false }
        members.append(Member(header: header, file: nil))
        return names.sorted().allSatisfy { add("\(path)/\($0)", as: "\(name)/\($0)") }
    }

    private static func header(_ name: String, size: Int, isFolder: Bool) -> [UInt8]? {
        guard name.utf8.count <= 100, size < 1 << 33 else { return nil }
        var header = [UInt8](repeating: 0, count: block)
        func put(_ text: String, at position: Int) {
            header.replaceSubrange(position..<(position + text.utf8.count), with: text.utf8)
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
