package import BeemedDomain
import RelayHTTP

extension Relay {
    private struct NewDevice: Decodable {
        var name: String
        var goals: [String]?
        var can: [String]?
        var goal: String?
        var value: Double?
        var strict: Bool?
        var expect: String?
    }

    /// `GET /devices`.
    func deviceList(_ call: Call) -> Response {
        access.devices.response(access.lastSeen, address: addressAtHome(call))
    }

    /// `POST /devices`: adds a device. The response is the only place that shows its token.
    func addDevice(_ call: Call) throws(Problem) -> Response? {
        let new = try call.request.content(
            NewDevice.self,
            orSay: "send {\"name\": \"kitchen\"}, and if you like \"can\": [\"log\"], \"goals\": "
                + "[\"water\"], \"goal\": \"water\", \"value\": 0.25, \"strict\": true, "
                + "\"expect\": \"1d\"")
        var book = access.devices
        let token = try book.add(
            name: new.name, rights: new.can ?? ["log", "read"], goals: new.goals, goal: new.goal,
            value: new.value, strict: new.strict ?? false, expect: new.expect)
        return issue(token, of: new.name, in: book, insteadOf: nil, call)
    }

    /// Puts a new token to use, and shows it once it is saved. A token that could not be saved was
    /// never shown: the device is as before then.
    private func issue(
        _ token: Token, of name: String, in book: DeviceBook, insteadOf former: Device?,
        _ call: Call
    ) -> Response? {
        use(book)
        return later(call) { () async throws(Problem) in
            if await self.save(as: .devices, { self.access.devices }) {
                return .token(token, of: name)
            }
            var book = self.access.devices
            if book.restore(former, insteadOf: token) {
                self.use(book)
                // A state with the token may be being saved, so the one without follows.
                self.files.save(.devices) { [book] in $0.save(book, as: .devices, $1) }
            }
            throw .notChanged("the devices")
        }
    }

    /// `PATCH /devices/{name}`: changes its rights and goals. Its token stays.
    func limitDevice(_ call: Call) throws(Problem) -> Response? {
        let name = call.name
        let limits = try call.request.content(
            DeviceLimits.self,
            orSay:
                "send {\"can\": [\"log\"], \"goals\": [\"water\"], \"goal\": \"water\"}; what is "
                + "left out stays, and null means all goals, or none")
        return try changeDevices(call) { (book) throws(Problem) in
            try book.limit(name, to: limits)
            return .ok { $0.add("name", name) }
        }
    }

    /// `PUT /devices/{name}`: adopts a device that another relay exported, so that both know it.
    func adoptDevice(_ call: Call) throws(Problem) -> Response? {
        let advice = "send one line of 'beemed-relay device export', to the device's own name"
        let device = try call.request.content(Device.self, orSay: advice)
        guard device.name.description == call.name else { throw .malformed(advice) }
        return try changeDevices(call) { (book) throws(Problem) in
            let adoption = try book.adopt(device)
            return .ok { $0.add("added", adoption == .added) }
        }
    }

    /// `DELETE /devices/{name}`: revokes and removes a device.
    func removeDevice(_ call: Call) throws(Problem) -> Response? {
        let name = call.name
        return try changeDevices(call) { (book) throws(Problem) in
            let identity = book[name]?.identity
            try book.remove(name)
            let waiting = identity.map(engine.core.waitingEvents) ?? 0
            return .ok { $0.add("waiting", Int64(waiting)) }
        }
    }

    /// `PUT /devices/{name}/expect`: how long it may be silent without a reminder.
    func expectDevice(_ call: Call) throws(Problem) -> Response? {
        struct Expectation: Decodable {
            var expect: String
        }
        let name = call.name
        let wish = try call.request.content(
            Expectation.self, orSay: "send {\"expect\": \"1d\"}, or \"off\"")
        return try changeDevices(call) { (book) throws(Problem) in
            try book.expect(wish.expect, of: name)
            return .json { json in
                json.add("name", name)
                json.add("expect", wish.expect)
            }
        }
    }

    /// `POST /devices/{name}/rotate`: replaces the token.
    func rotateDevice(_ call: Call) throws(Problem) -> Response? {
        var book = access.devices
        let former = book[call.name]
        let token = try book.rotate(call.name)
        return issue(token, of: call.name, in: book, insteadOf: former, call)
    }

    private func changeDevices(
        _ call: Call, _ edit: (inout DeviceBook) throws(Problem) -> Response
    ) throws(Problem) -> Response? {
        try change(
            call, .devices, "the devices", from: { self.access.devices }, edit, apply: { use($0) })
    }

    /// Puts changed devices to use, and ends what depends on tokens that are gone or may do less.
    private func use(_ book: DeviceBook) {
        let readers = access.devices.digests(of: .read).subtracting(book.digests(of: .read))
        access.use(book)
        endRevoked(readers)
        tell(.devicesChanged)
    }
}

extension Response {
    fileprivate static func token(_ token: Token, of name: String) -> Response {
        .json { json in
            json.add("name", name)
            json.add("token", token.text)
        }
    }
}

extension DeviceBook {
    /// All devices, and where they reach the relay.
    fileprivate func response(_ lastSeen: LastSeen, address: HomeAddress) -> Response {
        .json { json in
            json.add("address", address.host)
            json.add("url", address.url)
            write(to: &json, lastSeen)
        }
    }

    /// Adds all devices, without tokens or digests.
    package func write(to json: inout JSONWriter, _ lastSeen: LastSeen) {
        json.addArray("devices", of: devices) { device, json in
            json.add("name", "\(device.name)")
            json.add("generation", "\(device.generation)")
            json.addArray("can", of: device.can.map(\.rawValue))
            if let goal = device.goal { json.add("goal", goal) }
            if let value = device.value { json.add("value", value) }
            if let strict = device.strict { json.add("strict", strict) }
            if let expect = device.expect { json.add("expect", Silence.text(expect)) }
            if let time = lastSeen.time(of: device) { json.add("lastSeen", time) }
            if let goals = device.goals { json.addArray("goals", of: goals) }
        }
    }
}

extension Relay {
    /// Where devices reach the relay: at the host name that the reader uses or, if that is the
    /// loopback, at the address in the home network. Devices have no session of Home Assistant, so
    /// for readers within it the relay's own port is named.
    package func addressAtHome(_ call: Call) -> HomeAddress {
        let host = call.context.host ?? "\(settings.listen.reachable)"
        if call.context.isIngress {
            let port = site?.endpoint?.port ?? settings.listen.port
            return HomeAddress(host: "\(HostCheck.withoutPort(host)):\(port)")
        }
        let isSecure = call.context.isSecure
        guard HostCheck.isThisMachine(host), let endpoint = site?.endpoint,
            !endpoint.address.isLoopback
        else {
            return HomeAddress(host: host, prefix: call.context.prefix, isSecure: isSecure)
        }
        return HomeAddress(host: "\(endpoint)", isSecure: isSecure)
    }
}

/// Where devices in the home network reach the relay.
package struct HomeAddress {
    /// The host, with a port where one is needed.
    package var host: String
    /// The path below which a proxy serves the relay; empty at the root.
    package var prefix = ""
    /// Whether they use TLS, to a proxy.
    package var isSecure = false

    /// The base of every route, without a slash at its end.
    package var url: String { "\(isSecure ? "https" : "http")://\(host)\(prefix)" }
}
