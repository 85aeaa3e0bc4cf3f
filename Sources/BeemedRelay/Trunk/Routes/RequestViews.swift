import BeemedDomain
import RelayHTTP

extension RequestRecords {
    /// The requests as `GET /requests` shows them, without the account's token anywhere.
    func response(without token: String?) -> Response {
        var response = Response.json(fields: [.notStored]) { json in
            json.addArray("requests", of: newestFirst) { $0.write(to: &$1, routes) }
        }
        // A short one could be a word of the answer itself.
        if let token, token.utf8.count >= RequestRecords.tokenBytes {
            response.body.replace(Array(token.utf8), with: Redaction.mark.utf8)
        }
        return response
    }

    /// The length of the shortest token of an account, which is longer than any member's name.
    private static let tokenBytes = 12
}

extension RequestEntry {
    fileprivate func write(to json: inout JSONWriter, _ routes: RouteTable) {
        json.add("time", time.seconds)
        json.add("peer", "\(peer)")
        if let device { json.add("device", device) }
        if let request = shown {
            json.add("method", Redaction.tokens(request.method.token))
            let path = request.target.path
            let hidden = routes.shownPath(of: path)
            json.add("path", hidden ?? Redaction.path(path))
            if let query = request.target.query {
                json.add(
                    "query", hidden == nil ? Redaction.query(query) : Redaction.mark)
            }
            json.add("bodyBytes", Int64(bodyBytes))
        }
        if let fields {
            json.add("parsed", fields.form.rawValue)
            json.add("read") { fields.write(to: &$0) }
        }
        if let events { json.add("events", Int64(events)) }
        if let unreadable {
            let text = String(decoding: unreadable, as: UTF8.self)
            json.add("unreadable", Redaction.text(text))
        }
        if let ending { json.add("status", Int64(ending.status)) }
        if let problem = ending?.problem {
            json.add("code", problem.code.rawValue)
            json.add("detail", Redaction.tokens(problem.detail))
        }
        if let name = ending?.name { json.add("request", name) }
        if let request = shown { json.add("headers", Redaction.fields(request.fields)) }
    }

    /// The fields of a press; nil if none could be read, or if the body was too long to keep.
    private var fields: PressFields? {
        guard isPress, let request = shown, request.body.count == bodyBytes else { return nil }
        return try? BodyReader.fields(of: request)
    }

    private static let unreadableBytes = 256

    private var unreadable: ArraySlice<UInt8>? {
        guard ending?.problem?.code == .malformed, let request = shown, !request.body.isEmpty,
            fields == nil
        else { return nil }
        return request.body.prefix(RequestEntry.unreadableBytes)
    }
}

extension PressFields {
    fileprivate func write(to json: inout JSONWriter) {
        let shownFields: [(StaticString, Field)] = [
            ("goal", .goal), ("value", .value), ("comment", .comment), ("id", .id),
            ("timestamp", .timestamp), ("age", .age), ("daystamp", .day),
        ]
        for (name, field) in shownFields {
            if let text = self[field] { json.add(name, Redaction.text(text)) }
        }
        guard !metadata.isEmpty else { return }
        var shown: [String: String] = [:]
        for (name, value) in metadata.prefix(Redaction.maxFields) {
            shown[Redaction.tokens(name)] =
                Redaction.isSecret(name) ? Redaction.mark : Redaction.text(value)
        }
        json.add("metadata", shown)
    }
}
