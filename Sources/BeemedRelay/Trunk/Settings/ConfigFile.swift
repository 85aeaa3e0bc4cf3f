import BeemedDomain
import Libc

/// `config.json` in the data folder: a JSON object whose members are settings.
package struct ConfigFile: Sendable {
    /// Its name in the data folder.
    package static let name = DataFile.config.rawValue

    private(set) var texts: [String: String] = [:]
    var mistakes: [String] = []

    init() {}

    init(folder: String) {
        let bytes: [UInt8]?
        do throws(DiskError) {
            bytes = try PrivateFile.read("\(folder)/\(ConfigFile.name)")
        } catch {
            // A folder that is not there yet, not a folder or closed is reported when it is used.
            if error.code == ELOOP {
                mistakes.append(
                    "\(ConfigFile.name) is a link, which is not followed; put the file itself into "
                        + "\(folder)")
            } else if error.code != ENOTDIR, !DataFolder.isClosedToUs(folder) {
                mistakes.append("\(ConfigFile.name) cannot be read: \(error)")
            }
            return
        }
        guard let bytes else { return }
        let tree: JSONTree
        do throws(JSONTree.Fault) {
            tree = try JSONTree(bytes, maxValues: .max)
        } catch {
            mistakes.append(ConfigFile.mistake(error, in: bytes))
            return
        }
        guard let members = tree.members else {
            mistakes.append("\(ConfigFile.name) is not a JSON object, as in \(ConfigFile.example)")
            return
        }
        parse(members)
    }

    private mutating func parse(_ members: [String: JSONTree]) {
        let keys = Setting.all.compactMap(\.key)
        for (key, value) in members.sorted(by: { $0.key < $1.key }) {
            if !keys.contains(key) {
                mistakes.append(
                    "\(ConfigFile.name): unknown setting '\(key)'"
                        + Nearest.hint(key, in: keys))
            } else if let text = ConfigFile.text(value) {
                texts[key] = text
            } else {
                mistakes.append(
                    "\(ConfigFile.name): '\(key)' must be a text, a number, true, false or a list "
                        + "of texts")
            }
        }
    }

    private static let example = #"{"listen": "0.0.0.0:2336", "logLevel": "debug"}"#

    /// Where a text is no JSON, and how to write it.
    private static func mistake(_ fault: JSONTree.Fault, in bytes: [UInt8]) -> String {
        guard case .noJSON(let index) = fault else { return "\(name) is too large" }
        return
            "\(name) is not valid JSON in UTF-8: \(TextPosition(index, in: bytes[...])) is wrong; "
            + "put names and texts in double quotes, and a comma between two members but none "
            + "behind the last one, as in \(example)"
    }

    /// A text, number, truth value or list of texts as the text of an option.
    private static func text(_ value: JSONTree) -> String? {
        switch value {
        case .text(let text): return text
        case .flag(let flag): return flag ? "true" : "false"
        case .number(let number): return number.shortText
        case .list(let elements):
            let texts = elements.compactMap(\.text)
            return texts.count == elements.count ? texts.joined(separator: ",") : nil
        case .null, .object: return nil
        }
    }
}
