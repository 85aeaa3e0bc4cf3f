import BeemedDomain
import RelayHTTP

extension Relay {
    /// `POST` and `PUT` to `/log` and `/log/{goal}`: one press, answered once it is on the disk.
    func log(_ call: Call) throws(Problem) -> Response? {
        call.isPress = true
        if let known = knownPress(of: call) {
            _ = try authenticate(call, .log)
            return accept(known.press, known.reading, call)
        }
        let (fields, device) = try readPress(call)
        let press = try Press(fields, path: call.pathName, from: device, presets.book) {
            engine.core.goals.names(of: $0)
        }
        let reading = PressReading(fields, time: press.time, id: press.id)
        guard !fields.isDryRun else {
            var rehearsal = RelayCore.Rehearsal()
            return try engine.core.rehearsed(press, reading, at: call.moment, &rehearsal).response
        }
        remember(press, reading, from: device, call)
        return accept(press, reading, call)
    }

    private func accept(_ press: Press, _ reading: PressReading, _ call: Call) -> Response? {
        call.reading = reading
        engine.submit(press, at: call.moment) { self.answer(call, $0) }
        return nil
    }

    /// `GET /log/{goal}/trigger`: the same for devices that can only fetch a URL. Prefetches and
    /// link previews, as by browsers and chats, log nothing.
    func trigger(_ call: Call) throws(Problem) -> Response? {
        guard call.request.method == .get, !call.request.isPrefetch else {
            return try look(call, "Nothing is logged by looking; fetch this with GET.")
        }
        return try log(call)
    }

    /// The answer to a look at what a GET would do, which needs no token.
    private func look(_ call: Call, _ words: String) throws(Problem) -> Response {
        try access.limitUnauthenticated(call.context)
        return .text(200, words)
    }
}

extension Relay {
    /// `POST /log/{goal}/undo`, and `GET` for devices that can only fetch a URL: undoes the last
    /// press of this device to this goal, or the one that `id` names.
    ///
    /// Prefetches and link previews undo nothing. Without an id a second request undoes the press
    /// before; a device that repeats requests must name the press.
    func undoLast(_ call: Call) throws(Problem) -> Response? {
        guard
            call.request.method == .post || call.request.method == .get && !call.request.isPrefetch
        else {
            return try look(call, "Nothing is taken back by looking; fetch this with GET.")
        }
        let (fields, device) = try readPress(call)
        try fields.check(isStrict: device.strict ?? false)
        try fields.checkUndo()
        let target = try PressTarget(
            fields, path: call.pathName, from: device, presets.book,
            names: engine.core.goals.names)
        let key = try pressToUndo(fields, target, of: device, call.moment)
        guard !fields.isDryRun else { return try undoDryRun(key) }
        engine.submit(.undo(key), at: call.moment) { reply in
            guard case .changed(let view)? = reply else { return self.answer(call, reply) }
            self.answer(call, .success(.ok { view.writeUndo(to: &$0) }))
        }
        return nil
    }

    private func pressToUndo(
        _ fields: PressFields, _ target: PressTarget, of device: Device, _ now: Moment
    ) throws(Problem) -> EventKey {
        let identity = device.identity
        let preset = target.options?.preset
        if let id = try Press.id(fields.givenID ?? fields[.id]) {
            guard let view = engine.core.event(id, of: identity, at: target.goal),
                preset == nil || view.event.preset == preset
            else {
                throw .notFound("'\(device.name)' has no press '\(id)' to '\(target.name)'")
            }
            return view.event.key
        }
        guard
            let key = engine.core.lastPress(of: identity, to: target.goal, preset: preset, at: now)
        else {
            throw .notFound(
                "'\(device.name)' has no press to '\(target.name)' from the last ten minutes that "
                    + "is not taken back; DELETE /events/ID takes back older ones")
        }
        return key
    }

    private func undoDryRun(_ key: EventKey) throws(Problem) -> Response {
        guard let view = engine.core.event(key) else {
            throw .notFound("the press is on its way to the disk; ask again")
        }
        return .ok { json in
            json.add("dryRun", true)
            view.writeUndo(to: &json)
        }
    }
}

extension PressFields {
    /// Refuses a body without an id that says more than whose press is undone: the last press may
    /// not be the one that is meant.
    fileprivate func checkUndo() throws(Problem) {
        guard form != .empty || self[.id] != nil, (self[.id] ?? "").isEmpty else { return }
        let saysMore = Field.allCases.contains {
            $0 != .goal && $0 != .token && self[$0] != nil
        }
        guard saysMore || !unknownNames.isEmpty else { return }
        throw Problem(
            .unusableID,
            "which press is meant? send {\"id\": \"button-17\"}, or nothing to take back the last "
                + "one")
    }
}

extension EventView {
    /// Identifies the press, small enough for every device.
    fileprivate func writeUndo(to json: inout JSONWriter) {
        json.add("id", event.key.id.description)
        json.add("goal", goal.description)
        json.add("value", value)
        json.add("state", state.rawValue)
    }
}
