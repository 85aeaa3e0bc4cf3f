package import BeemedDomain
import RelayHTTP

enum DeviceRoutes {
    private struct NewDevice: Decodable {
        var name: String
        var goals: [String]?
        var can: [String]?
        var goal: String?
        var value: Double?
        var strict: Bool?
        var expect: String?
    }

    static func list(_ relay: isolated Relay, _ call: Call) -> Response? {
        let (access, address) = (relay.access, HomeAddress(for: call, of: relay))
        return .json { json in
            json.add("address", address.host)
            json.add("url", address.url)
            access.devices.write(to: &json, access.lastSeen)
        }
    }

    /// `POST /devices`: adds a device. The response is the only place that shows its token.
    static func add(_ relay: isolated Relay, _ call: Call) throws(Problem) -> Response? {
        let new = try call.request.content(
            NewDevice.self,
            orSay: "send {\"name\": \"kitchen\"}, and if you like \"can\": [\"log\"], \"goals\": "
                + "[\"water\"], \"goal\": \"water\", \"value\": 0.25, \"strict\": true, "
                + "\"expect\": \"1d\"")
        var book = relay.access.devices
        let token = try book.add(
            name: new.name, rights: new.can ?? ["log", "read"], goals: new.goals, goal: new.goal,
            value: new.value, strict: new.strict ?? false, expect: new.expect)
        return issue(token, of: new.name, in: book, insteadOf: nil, relay, call)
    }

    /// Puts a new token to use, and shows it once it is saved. A token that could not be saved was
    /// never shown: the device is as before then.
    private static func issue(
        _ token: Token, of name: String, in book: DeviceBook, insteadOf former: Device?,
        _ relay: isolated Relay, _ call: Call
    ) -> Response? {
        use(book, in: relay)
        return relay.later(call) { () async throws(Problem) in
            if await relay.files.save(as: .devices, { relay.access.devices }) {
                return .json { json in
                    json.add("name", name)
                    json.add("token", token.text)
                }
            }
            var book = relay.access.devices
            if book.restore(former, insteadOf: token) {
                use(book, in: relay)
                // A state with the token may be being saved, so the one without follows.
                relay.files.save(.devices) { [book] in $0.save(book, as: .devices, $1) }
            }
            throw .notSaved("the devices", isInEffect: false)
        }
    }

    /// `PATCH /devices/{name}`: changes its rights and goals. Its token stays.
    static func limit(_ relay: isolated Relay, _ call: Call) throws(Problem) -> Response? {
        let name = call.name
        let limits = try call.request.content(
            DeviceLimits.self,
            orSay:
                "send {\"can\": [\"log\"], \"goals\": [\"water\"], \"goal\": \"water\"}; what is "
                + "left out stays, and null means all goals, or none")
        return try change(relay, call) { (book) throws(Problem) in
            try book.limit(name, to: limits)
            return .ok { $0.add("name", name) }
        }
    }

    /// `PUT /devices/{name}`: adopts a device that another relay exported, so that both know it.
    static func adopt(_ relay: isolated Relay, _ call: Call) throws(Problem) -> Response? {
        let advice = "send one line of 'beemed-relay device export', to the device's own name"
        let device = try call.request.content(Device.self, orSay: advice)
        guard device.name.description == call.name else { throw .malformed(advice) }
        return try change(relay, call) { (book) throws(Problem) in
            let adoption = try book.adopt(device)
            return .ok { $0.add("added", adoption == .added) }
        }
    }

    static func remove(_ relay: isolated Relay, _ call: Call) throws(Problem) -> Response? {
        let name = call.name
        return try change(relay, call) { (book) throws(Problem) in
            let identity = book[name]?.identity
            try book.remove(name)
            let waiting = identity.map(relay.engine.core.view.waitingEvents) ?? 0
            return .ok { $0.add("waiting", Int64(waiting)) }
        }
    }

    /// `PUT /devices/{name}/expect`: how long it may be silent without a reminder.
    static func expect(_ relay: isolated Relay, _ call: Call) throws(Problem) -> Response? {
        struct Expectation: Decodable {
            var expect: String
        }
        let name = call.name
        let wish = try call.request.content(
            Expectation.self, orSay: "send {\"expect\": \"1d\"}, or \"off\"")
        return try change(relay, call) { (book) throws(Problem) in
            try book.expect(wish.expect, of: name)
            return .json { json in
                json.add("name", name)
                json.add("expect", wish.expect)
            }
        }
    }

    static func rotate(_ relay: isolated Relay, _ call: Call) throws(Problem) -> Response? {
        var book = relay.access.devices
        let former = book[call.name]
        let token = try book.rotate(call.name)
        return issue(token, of: call.name, in: book, insteadOf: former, relay, call)
    }

    private static func change(
        _ relay: isolated Relay, _ call: Call,
        _ edit: (inout DeviceBook) throws(Problem) -> Response
    ) throws(Problem) -> Response? {
        try relay.change(
            call, .devices, "the devices", from: { relay.access.devices }, edit,
            apply: { use($0, in: relay) })
    }

    /// Puts changed devices to use, and ends what depends on tokens that are gone or may do less.
    private static func use(_ book: DeviceBook, in relay: isolated Relay) {
        let former = relay.access.devices
        relay.access.devices = book
        relay.endRevoked(former.digests(of: .read).subtracting(book.digests(of: .read)))
        relay.tell(.devicesChanged)
    }
}

extension DeviceBook {
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

extension HomeAddress {
    /// The host name that the reader uses or, if that is the loopback, the address in the home
    /// network. Devices have no session of Home Assistant, so for readers within it the relay's own
    /// port is named.
    package init(for call: Call, of relay: isolated Relay) {
        let (context, listen) = (call.context, relay.settings.listen)
        let (host, endpoint) = (context.host ?? "\(listen.reachable)", relay.site?.endpoint)
        if context.isIngress {
            let port = endpoint?.port ?? listen.port
            self.init(host: "\(HostCheck.parts(of: host).host):\(port)")
        } else if HostCheck.isThisMachine(host), let endpoint, !endpoint.address.isLoopback {
            self.init(host: "\(endpoint)", isSecure: context.isSecure)
        } else {
            self.init(host: host, prefix: context.prefix, isSecure: context.isSecure)
        }
    }
}
