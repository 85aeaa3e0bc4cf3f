import BeemedDomain
import RelayHTTP

extension Response {
    /// How a press would be read. Nothing was taken.
    static func dryRun(_ press: Press, form: PressFields.Form) -> Response {
        .json(
            JSONWriter.object { json in
                json.add("ok", true)
                json.add("dryRun", true)
                press.write(to: &json)
                json.add("parsed", form.rawValue)
            })
    }
}

extension Press {
    /// What it says, as it was read.
    fileprivate func write(to json: inout JSONWriter) {
        if let id { json.add("id", id.description) }
        json.add("goal", goal.description)
        json.add("value", value)
        // An answer stays small, for devices with little room for it.
        if !comment.isEmpty { json.add("comment", String(comment.prefix(100))) }
        switch time {
        case .now: break
        case .timestamp(let time): json.add("timestamp", time.seconds)
        case .age(let seconds): json.add("age", seconds)
        }
    }
}

extension Relay {
    /// Whether the query asks only how a request would be read.
    static func isDryRun(_ request: Request) -> Bool {
        var query = BodyReader.query(request.target.query)
        return query.takeDryRun()
    }

    /// How the events of one request would be read, each with an outcome of its own.
    func dryRun(_ list: [PressFields?], from device: Device) -> Response {
        .json(
            JSONWriter.object { json in
                json.add("ok", true)
                json.add("dryRun", true)
                json.addArray("events") { events in
                    for fields in list {
                        events.object { Relay.dryRun(fields, from: device, presetBook, to: &$0) }
                    }
                }
            })
    }

    private static func dryRun(
        _ fields: PressFields?, from device: Device, _ presets: PresetBook,
        to json: inout JSONWriter
    ) {
        do throws(Problem) {
            guard let fields else { throw .malformed("this event is no JSON object") }
            let press = try Press(fields, path: nil, from: device, presets)
            json.add("outcome", "read")
            press.write(to: &json)
        } catch {
            json.add("outcome", "refused")
            json.add("status", Int64(error.status))
            json.add("code", error.code.rawValue)
            json.add("detail", error.detail)
        }
    }
}
