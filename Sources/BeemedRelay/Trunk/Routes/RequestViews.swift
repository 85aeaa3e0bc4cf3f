import BeemedDomain
import RelayHTTP

extension RequestLog {
    /// The entry as `GET /requests` shows it.
    ///
    /// - Parameter isKnown: whether a token has this digest; such a token is redacted everywhere.
    func response(_ routes: RouteTable, _ isKnown: @escaping (TokenDigest) -> Bool) -> Response {
        .json(fields: [.notStored]) { json in
            json.addArray("requests", of: newestFirst) {
                $0.write(to: &$1, routes, TokenMatcher(isKnown))
            }
        }
    }
}

extension RequestLog.Entry {
    fileprivate func write(
        to json: inout JSONWriter, _ routes: RouteTable, _ known: TokenMatcher
    ) {
        json.add("time", time.seconds)
        json.add("peer", "\(peer)")
        if let device { json.add("device", device) }
        if let request = shown {
            json.add("method", Redaction.tokens(request.method.token, known))
            let path = request.target.path
            let hidden = routes.shownPath(of: path)
            json.add("path", hidden ?? Redaction.path(path, known))
            if let query = request.target.query {
                json.add(
                    "query", hidden == nil ? Redaction.query(query, known) : Redaction.mark)
            }
            json.add("bodyBytes", Int64(bodyBytes))
        }
        if let fields {
            json.add("parsed", fields.form.rawValue)
            json.add("read") { fields.write(to: &$0, known) }
        }
        if let events { json.add("events", Int64(events)) }
        if let unreadable {
            let text = String(decoding: unreadable, as: UTF8.self)
            json.add("unreadable", Redaction.text(text, known))
        }
        if let ending { json.add("status", Int64(ending.status)) }
        if let problem = ending?.problem {
            json.add("code", problem.code.rawValue)
            json.add("detail", Redaction.tokens(problem.detail, known))
        }
        if let name = ending?.name { json.add("request", name) }
        if let request = shown { json.add("headers", Redaction.fields(request.fields, known)) }
    }

    /// The fields of a press; nil if none could be read, or if the body was too long to keep.
    private var fields: PressFields? {
        guard isPress, let request = shown, request.body.count == bodyBytes else { return nil }
        return try? BodyReader.fields(of: request)
    }

    private var unreadable: ArraySlice<UInt8>? {
        guard ending?.problem?.code == .malformed, let request = shown, !request.body.isEmpty,
            fields == nil
        else { return nil }
        return request.body.prefix(RequestLog.unreadableBytes)
    }
}

extension PressFields {
    fileprivate func write(to json: inout JSONWriter, _ known: TokenMatcher) {
        let shownFields: [(StaticString, Field)] = [
            ("goal", .goal), ("value", .value), ("comment", .comment), ("id", .id),
            ("timestamp", .timestamp), ("age", .age), ("daystamp", .day),
        ]
        for (name, field) in shownFields {
            if let text = self[field] { json.add(name, Redaction.text(text, known)) }
        }
        guard !metadata.isEmpty else { return }
        var shown: [String: String] = [:]
        for (name, value) in metadata.prefix(Redaction.maxFields) {
            shown[Redaction.tokens(name, known)] =
                Redaction.isSecret(name) ? Redaction.mark : Redaction.text(value, known)
        }
        json.add("metadata", shown)
    }
}
