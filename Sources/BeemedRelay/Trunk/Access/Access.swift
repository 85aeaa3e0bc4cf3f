import BeemedDomain
package import RelayHTTP

/// Access control by client address, host name and token.
package final class Access {
    /// All devices.
    package var devices: DeviceBook { didSet { revision += 1 } }
    /// Increases with each change of the devices.
    private(set) var revision: UInt64 = 0
    /// Finds the client and the host name of a request, and checks them.
    var clients: ClientCheck
    private var limits: RateLimits?
    /// When each device was last seen.
    package internal(set) var lastSeen: LastSeen
    var sessions: Sessions
    /// The links that sign a browser in.
    package var links = OneTimeSecrets.links
    var authorizations = OneTimeSecrets.authorizations
    private let owner: Device
    /// Signs the tokens of reminders' buttons; changes with the owner's token, and hides that.
    let buttonKey: [UInt8]
    /// Tells this folder's owner from another's.
    let ownerGeneration: DeviceGeneration

    init(
        _ settings: Settings, _ devices: DeviceBook, owner: String,
        ownerGeneration: DeviceGeneration, _ lastSeen: LastSeen, _ sessions: Sessions
    ) {
        (self.devices, self.lastSeen, self.sessions) = (devices, lastSeen, sessions)
        self.ownerGeneration = ownerGeneration
        clients = ClientCheck(settings)
        limits = RateLimits(perSecond: settings.requestsPerSecond)
        self.owner = Access.owner(ownerGeneration, credential: owner)
        buttonKey = Array("reminders \(self.owner.tokenHash.rawValue)".utf8)
        // Devices may have been removed while no relay ran.
        _ = endRevoked()
    }

    /// Takes over changed settings. A limit that has changed begins anew.
    func change(_ settings: Settings) {
        clients = ClientCheck(settings)
        if settings.requestsPerSecond != limits?.requests.rate {
            limits = RateLimits(perSecond: settings.requestsPerSecond)
        }
    }

    /// Checks that an authenticated sender has a right, and its rate.
    func permit(_ sender: Sender, _ right: Right, at now: Moment) throws(Problem) {
        let name = sender.device.name
        if let seconds = limits?.requests.consume(name.description, at: now.monotonic) {
            throw .tooMany(retryAfter: seconds)
        }
        guard sender.device.can.contains(right) else { throw .lacking(right, name) }
    }

    /// Identifies the sender; nil when the request carries no token.
    func device(
        of request: Request, bodyToken: String? = nil, _ context: RequestContext
    ) throws(Problem) -> Device? {
        guard let token = Credentials.token(in: request) ?? bodyToken else {
            return try signedIn(request, context)
        }
        if Credentials.isAmbient(in: request), OriginCheck.mayBeForged(request, context) {
            throw .crossSite
        }
        if let device = buttonDevice(bearing: token, at: context.moment.wall) { return device }
        guard let device = bearer(of: TokenDigest(of: token)) else {
            throw tooManyFailures(context) ?? .unknownToken(request)
        }
        recordSeen(device, at: context.moment)
        return device
    }

    func recordSeen(_ device: Device, at now: Moment) {
        if device.name != .owner { lastSeen.note(device, at: now) }
    }

    /// The owner, when this browser is signed in, here or in Home Assistant; nil otherwise.
    private func signedIn(
        _ request: Request, _ context: RequestContext
    ) throws(Problem) -> Device? {
        // A cookie that came through ingress is of another sign-in, on another port of that host.
        let session = context.isIngress ? nil : session(in: request)
        guard context.isIngress || session != nil else { return nil }
        if let session, !sessions.holds(session, at: context.moment.wall) {
            throw tooManyFailures(context) ?? .signedOut
        }
        guard
            OriginCheck.isRead(request, context)
                || OriginCheck.isOwn(request, host: context.host)
        else {
            throw .crossSite
        }
        return session.map { Access.owner(ownerGeneration, credential: $0) } ?? owner
    }

    /// Whether a browser that is signed in as the owner asks, here or in Home Assistant.
    package func isSignedIn(_ request: Request, _ context: RequestContext) -> Bool {
        context.isIngress
            || session(in: request).map { sessions.holds($0, at: context.moment.wall) } ?? false
    }

    /// The session of this browser, valid or not; nil without one.
    package func session(in request: Request) -> String? {
        Credentials.cookie(named: sessionCookie, in: request)
    }

    var sessionCookie: String { Credentials.sessionCookie(of: ownerGeneration) }

    /// The owner or the device whose token has this digest; nil when nobody has it.
    func bearer(of digest: TokenDigest) -> Device? {
        digest == owner.tokenHash ? owner : devices.bearer(of: digest)
    }

    /// Counts a request that needs no token, or has no route; refuses it above the rate limit.
    func limitUnauthenticated(_ context: RequestContext) throws(Problem) {
        if let seconds = limits?.strangers.consume("\(context.peer)", at: context.moment.monotonic)
        {
            throw .tooMany(retryAfter: seconds)
        }
    }

    private static func owner(
        _ generation: DeviceGeneration, credential: String
    ) -> Device {
        Device(
            name: .owner, generation: generation, tokenHash: TokenDigest(of: credential),
            can: Right.allCases)
    }

    /// The refusal of a request without a token, which counts as a failed authentication.
    func refusal(_ request: Request, _ context: RequestContext) -> Problem {
        tooManyFailures(context) ?? .withoutToken(request)
    }

    /// Counts a failed authentication; the refusal above the rate limit.
    ///
    /// A valid token is never refused for failures: 160 bits cannot be guessed, and a device must
    /// not be locked out by another one behind the same address.
    func tooManyFailures(_ context: RequestContext) -> Problem? {
        limits?.failures.consume("\(context.peer)", at: context.moment.monotonic)
            .map { .tooMany(retryAfter: $0) }
    }
}

extension Problem {
    /// No token, or an `Authorization` field without a scheme.
    package static func withoutToken(_ request: Request) -> Problem {
        let fields = request.fields
        let isThere = fields.bytes(of: .authorization) != nil
        return (isThere ? unreadable : noToken).asking(request)
    }

    static func lacking(_ right: Right, _ device: DeviceName) -> Problem {
        .forbidden(
            "'\(device)' has no right to '\(right.rawValue)'; use a token that has it: "
                + "'beemed-relay device add NAME --can \(right.rawValue)'")
    }

    static func unknownToken(_ request: Request) -> Problem { unknown.asking(request) }

    /// The browser's session cookie is no longer valid.
    static let signedOut = unauthorized(
        "this browser is not signed in any more; 'beemed-relay owner-link' prints a link that does "
            + "it")

    static let revoked = unauthorized(
        "this token, or the browser's sign-in, was taken away while this waited; "
            + "'beemed-relay device rotate NAME' makes another token")

    private static let noToken = unauthorized(
        "no token came with this; send this device's token, as in 'Authorization: Bearer TOKEN'; "
            + "'beemed-relay device add NAME' makes one")

    private static let unreadable = unauthorized(
        "'Authorization' came without a token that can be read: write the word Bearer and the "
            + "token, as in 'Authorization: Bearer TOKEN'; is the variable with the token set?")

    private static let unknown = unauthorized(
        "this token is not known here: it was mistyped, has quotes around it, is the user name of "
            + "Basic and not the password, or was replaced or removed; 'beemed-relay device rotate "
            + "NAME' makes another one")

    private static func unauthorized(_ detail: String) -> Problem {
        Problem(.unauthorized, detail, fields: [bearer])
    }

    /// Adds a Basic challenge (RFC 7617): some clients send the password in `http://x:TOKEN@host/`
    /// only after one. Browsers get none, since they would show a password dialog.
    private func asking(_ request: Request) -> Problem {
        guard !Browser.isLikely(request) else { return self }
        var problem = self
        problem.fields = Problem.basicAndBearer
        return problem
    }

    private static let bearer = Response.Field(
        "WWW-Authenticate", "Bearer realm=\"beemed-relay\"")
    /// Basic first, for clients that read only the first field.
    private static let basicAndBearer = [
        Response.Field("WWW-Authenticate", "Basic realm=\"beemed-relay\""), bearer,
    ]
}
