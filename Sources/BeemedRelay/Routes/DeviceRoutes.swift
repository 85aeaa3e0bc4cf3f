import BeemedDomain
import Foundation
import RelayHTTP

extension Relay {
    private struct NewDevice: Decodable {
        var name: String
        var goals: [String]?
        var can: [String]?
        var goal: String?
        var value: Double?
        var strict: Bool?
    }

    /// `GET /devices` and `POST /devices`: lists the devices, and adds one. The response to `POST`
    /// is the only place that shows its token.
    func devices(_ request: Request, _ context: RequestContext) throws(Problem) -> Response {
        _ = try access.authenticate(request, bodyToken: nil, devices, .manage, context)
        guard request.method == .post else {
            current.isReadOnly = true
            return devices.response(access.lastSeen, address: addressAtHome(context))
        }
        let decoder = JSONDecoder()
        guard let new = try? decoder.decode(NewDevice.self, from: Data(request.body)) else {
            throw .malformed(
                "send {\"name\": \"kitchen\"}, and if you like \"can\": [\"log\"], \"goals\": "
                    + "[\"water\"], \"goal\": \"water\", \"value\": 0.25, \"strict\": true")
        }
        let rights = new.can ?? ["log", "read"]
        let token = try changeDevices { (book) throws(DeviceFault) in
            try book.add(
                name: new.name, rights: rights, goals: new.goals, goal: new.goal, value: new.value,
                strict: new.strict ?? false)
        }
        return .token(token, of: new.name)
    }

    /// `PUT /devices/{name}`: adopts a device that another relay exported, so that both know it.
    func adoptDevice(
        _ name: String, _ request: Request, _ context: RequestContext
    ) throws(Problem) -> Response {
        _ = try access.authenticate(request, bodyToken: nil, devices, .manage, context)
        let decoder = JSONDecoder()
        guard let record = try? decoder.decode(DeviceRecord.self, from: Data(request.body)),
            record.name == name
        else {
            throw .malformed(
                "send one line of 'beemed-relay device export', to the device's own name")
        }
        let isNew = try changeDevices { (book) throws(DeviceFault) in
            try book.adopt(record.device)
        }
        return .json(
            JSONWriter.object { json in
                json.add("ok", true)
                json.add("added", isNew)
            })
    }

    /// `DELETE /devices/{name}`: revokes and removes a device.
    func removeDevice(
        _ name: String, _ request: Request, _ context: RequestContext
    ) throws(Problem) -> Response {
        _ = try access.authenticate(request, bodyToken: nil, devices, .manage, context)
        try changeDevices { (book) throws(DeviceFault) in try book.remove(name) }
        return .json(JSONWriter.object { $0.add("ok", true) })
    }

    /// `POST /devices/{name}/rotate`: replaces the token.
    func rotateDevice(
        _ name: String, _ request: Request, _ context: RequestContext
    ) throws(Problem) -> Response {
        _ = try access.authenticate(request, bodyToken: nil, devices, .manage, context)
        let token = try changeDevices { (book) throws(DeviceFault) in try book.rotate(name) }
        return .token(token, of: name)
    }

    /// Changes the devices on the disk, then in memory: after a power failure a token that was
    /// shown must be valid, and a revoked one must not.
    private func changeDevices<Value>(
        _ change: (inout DeviceBook) throws(DeviceFault) -> Value
    ) throws(Problem) -> Value {
        var book = devices
        let value: Value
        do throws(DeviceFault) {
            value = try change(&book)
        } catch {
            switch error {
            case .unknown: throw .notFound(error.advice)
            case .nameTaken, .identityTaken: throw Problem(.nameTaken, error.advice)
            case .unusableName, .unusableGoal, .unusableRight, .unusableValue, .foreignGoal,
                .unusableDigest, .tokenTaken:
                throw Problem(.unusableDevice, error.advice)
            }
        }
        guard store.save(book, log) else {
            throw Problem(
                .notSaved, "the devices could not be saved; make room on the disk and repeat this")
        }
        devices = book
        endRevoked()
        return value
    }

    /// Ends everything that depends on a revoked token or session: links, sessions, authorizations
    /// and waiting requests.
    func endRevoked() {
        if access.endRevoked(devices) { _ = store.save(access.sessions, log) }
        let (access, devices) = (access, devices)
        endWaits { !access.isGood($0.digest, devices) }
    }

    /// Saves the last-seen times, off the loop.
    func saveLastSeen() {
        guard let times = access.lastSeen.takeUnsaved(of: devices) else { return }
        let (store, log) = (store, log)
        chores.addOperation { store.save(lastSeen: times, log) }
    }
}

extension Response {
    fileprivate static func token(_ token: Token, of name: String) -> Response {
        .json(
            JSONWriter.object { json in
                json.add("name", name)
                json.add("token", token.text)
            })
    }
}

extension DeviceBook {
    /// All devices, without tokens or digests.
    ///
    /// - Parameter address: the address at which devices reach the relay.
    fileprivate func response(_ lastSeen: LastSeen, address: String) -> Response {
        .json(
            JSONWriter.object { json in
                json.add("address", address)
                json.addArray("devices") { list in
                    for device in devices {
                        list.object { json in
                            json.add("name", device.name)
                            if let generation = device.generation {
                                json.add("generation", generation.description)
                            }
                            json.addArray("can") { rights in
                                for right in device.rights { rights.element(right.rawValue) }
                            }
                            if let goal = device.goal { json.add("goal", goal) }
                            if let value = device.value { json.add("value", value) }
                            if let strict = device.strict { json.add("strict", strict) }
                            if let time = lastSeen.time(of: device) { json.add("lastSeen", time) }
                            guard let goals = device.goals else { return }
                            json.addArray("goals") { names in
                                for goal in goals { names.element(goal) }
                            }
                        }
                    }
                }
            })
    }
}
