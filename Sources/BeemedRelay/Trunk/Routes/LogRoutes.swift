import BeemedDomain
import RelayHTTP

extension Relay {
    /// `POST` and `PUT` to `/log` and `/log/{goal}`: one press. The answer follows once it is on
    /// the disk.
    func log(
        _ call: Call, goal: String?
    ) throws(Problem) -> Response? {
        call.isPress = true
        let (fields, device) = try readPress(call)
        let press = try Press(fields, path: goal, from: device, presets.book) {
            engine.core.goals.names(of: $0)
        }
        let reading = PressReading(fields, time: press.time, id: press.id)
        guard !fields.isDryRun else { return try dryRun(press, reading, call.moment) }
        remember(press, reading, from: device, call)
        call.reading = reading
        engine.submit(press, reply: .request(call), at: call.moment)
        return nil
    }

    /// `GET /log/{goal}/trigger`: the same for devices that can only fetch a URL. Prefetches and
    /// link previews, as by browsers and chats, log nothing.
    func trigger(
        _ call: Call, goal: String
    ) throws(Problem) -> Response? {
        guard call.request.method == .get, !call.request.isPrefetch else {
            return .text(200, "Nothing is logged by looking; fetch this with GET.")
        }
        return try log(call, goal: goal)
    }
}
