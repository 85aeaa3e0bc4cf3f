internal import CEmbedded

/// The files that are part of the program: page, manual, contract and recipes.
package enum EmbeddedFiles {
    /// The files of a folder by their names there, in the order of the names.
    package static func folder(_ name: String) -> [(name: String, content: [UInt8])] {
        (0..<embedded_file_count()).compactMap { index in
            let found = self.name(at: index)
            guard found.hasPrefix(name + "/") else { return nil }
            return (String(found.dropFirst(name.utf8.count + 1)), content(at: index))
        }
    }

    /// The file with this name; a name that is not there is a mistake in the program.
    package static func file(_ name: String) -> [UInt8] {
        guard let index = (0..<embedded_file_count()).first(where: { self.name(at: $0) == name })
        else { preconditionFailure("no embedded file \(name)") }
        return content(at: index)
    }

    /// The common style of the relay's pages.
    package static let pageStyle = file("page/base.css")

    private static func name(at index: Int) -> String {
        unsafe String(cString: embedded_file(index).name)
    }

    private static func content(at index: Int) -> [UInt8] {
        let file = unsafe embedded_file(index)
        return unsafe Array(UnsafeBufferPointer(start: file.bytes, count: file.count))
    }
}
