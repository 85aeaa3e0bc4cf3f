package import BeemedDomain
package import RelayHTTP

extension Relay {
    /// The dependencies of a relay: time, disk and network are injected.
    struct Parts {
        var settings: Settings
        var routes: RouteTable
        /// Make the states of the leaves.
        var leaves: [@Sendable () -> any LeafState]
        var core: RelayCore
        var recoveryReport: RecoveryReport
        var devices: DeviceBook
        var presets: PresetBook
        var owner: String
        /// Distinguishes the owner's own presses from those of another folder's owner.
        var ownerGeneration: DeviceGeneration?
        var store: RelayStore
        var upstream: any AccountUpstream
        /// The account that `upstream` uses.
        var connection: ConnectedAccount?
        var clock: @Sendable () -> Moment
        var log: Log
    }

    /// The constants of a running relay, but for some settings (SIGHUP) and, in a cluster, `leads`,
    /// which is set when the relay's term begins.
    package struct Environment: Sendable {
        var settings: Settings
        let log: Log
        /// Tells the present time by both clocks.
        package let clock: @Sendable () -> Moment
        let started = Instant.now
        /// Whether this relay leads its cluster for certain, so that what it reads is current.
        package var leads: @Sendable () -> Bool = { true }

        init(_ parts: Parts) {
            settings = parts.settings
            log = parts.log
            clock = parts.clock
        }
    }

    /// The server, and its address for other devices.
    package struct Site {
        /// The server, which listens.
        package let server: Server
        /// The address for other devices.
        package let endpoint: Endpoint?
    }

    /// Tells the present time by both clocks.
    package var clock: @Sendable () -> Moment { environment.clock }
    /// The rights of devices and tokens, as they are now.
    package var rights: Access { access }

    /// From now on this relay leads its cluster as long as this holds.
    package func lead(while leads: @escaping @Sendable () -> Bool) { environment.leads = leads }

    /// Takes over the devices of the file.
    package func use(_ devices: DeviceBook) { access.use(devices) }

    /// Offers links that sign a browser in.
    package func offer(_ links: OneTimeSecrets) { access.links = links }

    /// Adds an answer to those of this turn.
    package func add(_ answer: Answer) { answers.append(answer) }

    /// The present settings.
    package var settings: Settings { environment.settings }
    /// The log.
    package var log: Log { environment.log }

    /// Identifies the sender, and checks its rights and the conditions of the request.
    ///
    /// - Parameter bodyToken: a token in the body, for devices that can put one nowhere else.
    func authenticate(
        _ call: Call, _ right: Right, bodyToken: String? = nil
    ) throws(Problem) -> Device {
        guard let device = try identifySender(of: call, bodyToken: bodyToken) else {
            throw access.refusal(call.request, call.context)
        }
        try access.permit(device, right, call.context)
        if let query = call.request.target.query {
            try call.asked?.check(query: query)
        }
        try checkConditions(of: call)
        return device
    }

    /// Identifies the sender; nil when the request carries no token.
    func identifySender(of call: Call, bodyToken: String? = nil) throws(Problem) -> Device? {
        let device = try access.identifySender(
            of: call.request, bodyToken: bodyToken, call.context, known: &call.known.sender)
        if let device { (call.device, call.sender) = (device.name, device) }
        return device
    }
}
