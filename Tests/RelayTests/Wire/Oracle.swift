@testable import RelayHTTP

/// The rules that hold for every sequence of bytes, whether the fuzzer of `swift test` has made it
/// up or the one of `make fuzz`.
enum Oracle {
    /// Reads these bytes whole, byte by byte and in pieces, by parser and by connection.
    ///
    /// - Returns: what is wrong with the server, or nil.
    static func complaint(
        about bytes: [UInt8], cuts: [Int] = [], limits: Limits = Limits()
    ) -> String? {
        var whole = Reading(limits: limits)
        whole.feed(bytes[...])
        var bytewise = Reading(limits: limits)
        for offset in bytes.indices { bytewise.feed(bytes[offset...offset]) }
        var cut = Reading(limits: limits)
        for piece in pieces(of: bytes, cuts: cuts) { cut.feed(piece) }

        if bytewise.result != whole.result {
            return "byte by byte: \(bytewise.result), whole: \(whole.result)"
        }
        if cut.result != whole.result {
            return "cut at \(cuts): \(cut.result), whole: \(whole.result)"
        }
        let most = max(whole.maxBuffered, bytewise.maxBuffered, cut.maxBuffered)
        if most > limits.headBytes + limits.bodyBytes { return "\(most) bytes are kept" }
        return complaint(
            about: conversation([bytes[...]], limits),
            and: conversation(pieces(of: bytes, cuts: cuts), limits), for: whole)
    }

    /// As many answers as requests and faults, however the bytes came.
    private static func complaint(
        about whole: Conversation, and cut: Conversation, for reading: Reading
    ) -> String? {
        let faults = reading.result.end.first?.isNumber == true ? 1 : 0
        let expected = reading.result.requests.count + faults
        if !whole.has(expected) || !cut.has(expected) {
            return "\(expected) answers expected: \(whole.answers) whole, \(cut.answers) cut"
        }
        return whole.closes && cut.closes ? nil : "it does not close when the client has"
    }

    private static func pieces(of bytes: [UInt8], cuts: [Int]) -> [ArraySlice<UInt8>] {
        let ends = cuts.filter { $0 < bytes.count }.sorted() + [bytes.count]
        return zip([0] + ends, ends).map { bytes[$0..<$1] }
    }

    private struct Conversation {
        var answers = 0
        var closes = false
        /// Whether what follows a request has shown that its content is not whole: then nothing
        /// more is answered, and that request is if it was handed out before.
        var isCut = false

        func has(_ expected: Int) -> Bool {
            isCut ? (1...(expected + 1)).contains(answers) : answers == expected
        }
    }

    /// A client that sends these pieces and then nothing more, and a server that answers at once.
    private static func conversation(
        _ pieces: [ArraySlice<UInt8>], _ limits: Limits
    ) -> Conversation {
        var connection = Connection(limits: limits)
        var conversation = Conversation()
        for piece in pieces {
            connection.received(piece.span)
            advance(&connection, &conversation, limits)
        }
        connection.inputEnded()
        advance(&connection, &conversation, limits)
        return conversation
    }

    private static func advance(
        _ connection: inout Connection, _ conversation: inout Conversation, _ limits: Limits
    ) {
        while true {
            switch connection.next() {
            case .deliver:
                connection.respond(with: Response(status: 200), date: [])
                conversation.answers += 1
            case .refuse(let error):
                switch error {
                case .lengthRequired, .contentBeyondLength, .contentAfterAnswer:
                    conversation.isCut = true
                default: break
                }
                connection.refuse(Response(status: error.status), date: [])
                conversation.answers += 1
            case .ask: _ = connection.admit(bodyBytes: limits.bodyBytes)
            case .endWait, .shutDown: break
            case .wait:
                if connection.unsentBytes == 0 { return }
            case .close:
                conversation.closes = true
                return
            }
            connection.didSend(connection.unsentBytes)
        }
    }
}
