extension RelayCore {
    /// A text that is looked for in events: in the comment, the goal and the request id, whatever
    /// the case of its letters.
    package struct SoughtText: Sendable {
        private let bytes: [UInt8]

        /// The longest text, in Unicode's characters, as the contract counts them: the search takes
        /// as many steps for each byte of a comment.
        package static let maxCharacters = 64
        /// Bytes that are compared in the time of one step of a list, about.
        private static let bytesOfStep = 256

        /// Nil for a text that is empty or too long.
        package init?(_ text: String) {
            guard (1...SoughtText.maxCharacters).contains(text.unicodeScalars.count) else {
                return nil
            }
            bytes = Array(text.lowercased().utf8)
        }

        /// Whether an event has it.
        func isIn(_ view: EventView) -> Bool {
            let event = view.event
            return isIn(event.comment) || isIn(view.goal.description)
                || isIn(event.goal.description) || isIn(event.key.requestID)
        }

        private func isIn(_ text: String) -> Bool {
            let text = Array(text.lowercased().utf8)
            guard text.count >= bytes.count else { return false }
            return (0...(text.count - bytes.count)).contains { start in
                text[start] == bytes[0] && text[start..<(start + bytes.count)].elementsEqual(bytes)
            }
        }

        /// How many more steps of a list the search in an event takes.
        func steps(for view: EventView) -> Int {
            view.event.comment.utf8.count * bytes.count / SoughtText.bytesOfStep
        }
    }
}
