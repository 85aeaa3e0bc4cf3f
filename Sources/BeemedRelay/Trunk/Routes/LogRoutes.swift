import BeemedDomain
import RelayHTTP

enum LogRoutes {
    /// `POST` and `PUT` to `/log` and `/log/{goal}`, and `GET /log/{goal}/trigger` for devices that
    /// can only fetch a URL: one press, answered once it is on the disk.
    static func log(_ relay: isolated Relay, _ call: Call) throws(Problem) -> Response? {
        call.isPress = true
        let presets = relay.presets
        if let known = call.known?.press(of: call, presets: presets.revision) {
            try relay.authenticate(call, .log)
            accept(known, call, in: relay)
            return nil
        }
        let (fields, device) = try readPress(call, in: relay)
        let core = relay.engine.core
        let press = try Press(fields, path: call.pathName, from: device, presets.book) {
            core.view.goals.names(of: $0)
        }
        let read = ReadPress(press, fields)
        guard !fields.isDryRun else {
            var rehearsal = RelayCore.Rehearsal()
            return try core.rehearsed(read, at: call.moment, &rehearsal).response
        }
        call.known?.remember(read, of: call, presets: presets.revision)
        accept(read, call, in: relay)
        return nil
    }

    private static func accept(_ read: ReadPress, _ call: Call, in relay: isolated Relay) {
        call.press = read
        relay.engine.submit(read.press, at: call.moment, for: .request(call))
    }

    /// Reads a request of one press, and identifies its sender: before the content is read, if the
    /// head has a token. A stranger's content is short (`Relay.strangerBodyBytes`).
    private static func readPress(
        _ call: Call, in relay: isolated Relay
    ) throws(Problem) -> (PressFields, Device) {
        guard call.sender == nil, Credentials.token(in: call.request) == nil else {
            try relay.authenticate(call, .log)
            return (try BodyReader.fields(of: call.request), call.bearer)
        }
        // A browser that is signed in has no token either.
        if call.request.body.count > Relay.strangerBodyBytes,
            try relay.identifySender(of: call) == nil
        {
            throw try relay.refusal(ofUnreadable: call, .tooLargeForStrangers)
        }
        let fields: PressFields
        do throws(Problem) {
            fields = try BodyReader.fields(of: call.request)
        } catch {
            // Content that cannot be read may be that of a device whose token is in it.
            let mayBearToken = String(decoding: call.request.body, as: UTF8.self).lowercased()
                .contains("token")
            if !mayBearToken { try relay.authenticate(call, .log) }
            throw try relay.refusal(ofUnreadable: call, error)
        }
        try relay.authenticate(call, .log, bodyToken: fields[.token])
        return (fields, call.bearer)
    }

    // MARK: Undo

    /// `POST /log/{goal}/undo`, and `GET` for devices that can only fetch a URL: undoes the last
    /// press of this device to this goal, or the one that `id` names.
    ///
    /// Without an id a second request undoes the press before; a device that repeats requests must
    /// name the press.
    static func undo(_ relay: isolated Relay, _ call: Call) throws(Problem) -> Response? {
        let (fields, device) = try readPress(call, in: relay)
        try fields.check(isStrict: device.strict ?? false)
        try fields.checkUndo()
        let core = relay.engine.core
        let target = try Press.target(
            fields, path: call.pathName, from: device, relay.presets.book,
            names: core.view.goals.names)
        let key = try pressToUndo(fields, target, of: device, call.moment, core)
        guard !fields.isDryRun else {
            guard let view = core.view.event(key) else {
                throw .notFound("the press is on its way to the disk; ask again")
            }
            return .ok { json in
                json.add("dryRun", true)
                view.writeUndo(to: &json)
            }
        }
        relay.engine.submit(
            .undo(key), at: call.moment,
            for: .function { reply in
                guard case .changed(let view)? = reply else { return relay.answer(call, reply) }
                relay.answer(call, .success(.ok { view.writeUndo(to: &$0) }))
            })
        return nil
    }

    private static func pressToUndo(
        _ fields: PressFields, _ target: Press.Target, of device: Device, _ now: Moment,
        _ core: RelayCore
    ) throws(Problem) -> EventKey {
        let identity = device.identity
        let preset = target.options?.preset
        if let id = try Press.id(fields.givenID ?? fields[.id]) {
            guard let view = core.event(id, of: identity, at: target.goal),
                preset == nil || view.event.preset == preset
            else {
                throw .notFound("'\(device.name)' has no press '\(id)' to '\(target.name)'")
            }
            return view.event.key
        }
        guard let key = core.view.lastPress(of: identity, to: target.goal, preset: preset, at: now)
        else {
            throw .notFound(
                "'\(device.name)' has no press to '\(target.name)' from the last ten minutes that "
                    + "is not taken back; DELETE /events/ID takes back older ones")
        }
        return key
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
