import BeemedDomain
import RelayHTTP

extension RequestLog {
    /// As `GET /requests` shows them.
    var json: [UInt8] {
        JSONWriter.object { json in
            json.addArray("requests") { list in
                for entry in newestFirst { list.object { entry.write(to: &$0) } }
            }
        }
    }
}

extension RequestLog.Entry {
    fileprivate func write(to json: inout JSONWriter) {
        json.add("time", time.seconds)
        json.add("peer", "\(peer)")
        if let device { json.add("device", device) }
        if let request {
            json.add("method", request.method.token)
            json.add("path", Redaction.text(request.target.path))
            if let query = request.target.query { json.add("query", Redaction.query(query)) }
            json.add("bodyBytes", Int64(bodyBytes))
        }
        if let fields {
            json.add("parsed", fields.form.rawValue)
            json.add("read") { fields.write(to: &$0) }
        }
        if let events { json.add("events", Int64(events)) }
        if let unreadable {
            json.add(
                "unreadable", Redaction.text(String(decoding: unreadable, as: UTF8.self)))
        }
        if let ending { json.add("status", Int64(ending.status)) }
        if let problem = ending?.problem {
            json.add("code", problem.code.rawValue)
            json.add("detail", Redaction.tokens(problem.detail))
        }
        if let name = ending?.name { json.add("request", name) }
        if let request { json.add("headers", Redaction.fields(request.fields)) }
    }

    /// What was read of a press; nil where nothing could be, or its body was too long to be kept.
    private var fields: PressFields? {
        guard isPress, let request, request.body.count == bodyBytes else { return nil }
        return try? Relay.fields(of: request)
    }

    /// The beginning of a body that could not be read.
    private var unreadable: ArraySlice<UInt8>? {
        guard ending?.problem?.code == .malformed, let request, !request.body.isEmpty,
            fields == nil
        else { return nil }
        return request.body.prefix(RequestLog.unreadableBytes)
    }
}

extension PressFields {
    /// What was read, field by field.
    fileprivate func write(to json: inout JSONWriter) {
        if let goal { json.add("goal", Redaction.text(goal)) }
        if let value { json.add("value", Redaction.text(value)) }
        if let comment { json.add("comment", Redaction.text(comment)) }
        if let id { json.add("id", Redaction.text(id)) }
        if let timestamp { json.add("timestamp", Redaction.text(timestamp)) }
        if let age { json.add("age", Redaction.text(age)) }
        guard !metadata.isEmpty else { return }
        var shown: [String: String] = [:]
        for (name, value) in metadata {
            shown[name] = Redaction.isSecret(name) ? Redaction.mark : Redaction.text(value)
        }
        json.add("metadata", shown)
    }
}
