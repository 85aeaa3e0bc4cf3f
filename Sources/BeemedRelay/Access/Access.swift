import BeemedDomain
import RelayHTTP

/// Access control by client address, host name and token.
struct Access: Sendable {
    private let hosts: HostCheck
    /// Hosts that passed the check, since the same ones recur.
    private var knownHosts: Set<String> = []
    /// The latest of them.
    private var lastHost: String?
    private var knownTokens = KnownTokens()
    /// The address that was counted last, with its text.
    private var lastPeer: (address: Address, text: String)?
    /// The name of the current request's device, if its token is valid.
    var visitor: String?
    /// When each device was last seen.
    var lastSeen = LastSeen()
    /// The signed-in browsers.
    var sessions = Sessions()
    /// The links for sign-in.
    var links = SignInLinks()
    /// The pending authorizations at Beeminder.
    var authorizations = Authorizations()
    private let servesPublic: Bool
    private let owner: TokenDigest
    /// Distinguishes this folder's owner from another folder's; nil in folders that were used
    /// before generations existed.
    private let ownerGeneration: DeviceGeneration?
    private var requests: RateLimiter?
    private var failures: RateLimiter?
    /// Requests of each address that need no token.
    private var strangers: RateLimiter?

    init(_ settings: Settings, owner: String, ownerGeneration: DeviceGeneration? = nil) {
        self.ownerGeneration = ownerGeneration
        hosts = HostCheck(names: settings.hostNames)
        servesPublic = settings.servesPublicAddresses
        self.owner = TokenDigest(of: owner)
        if let rate = settings.requestsPerSecond {
            requests = RateLimiter(rate: rate, burst: max(20, rate * 20))
            failures = RateLimiter(rate: 1, burst: 60)
            strangers = RateLimiter(rate: rate, burst: max(20, rate * 20))
        }
    }

    /// Checks the client's address and the host name.
    mutating func admit(_ context: RequestContext) throws(Problem) {
        visitor = nil
        guard servesPublic || context.peer.isPrivate else {
            throw .forbidden(
                "only private networks are served; to serve others, start the relay with "
                    + "--serve-public-addresses")
        }
        let host = context.host
        if let host, host == lastHost || knownHosts.contains(host) {
            lastHost = host
            return
        }
        guard hosts.allows(host) else {
            throw Problem(
                .unknownHost,
                "this relay does not go by that name; use its address, or start it with "
                    + "--host-name")
        }
        if let host, knownHosts.count < 64 { knownHosts.insert(host) }
    }

    /// Authenticates the sender, and checks its rights.
    ///
    /// - Parameter bodyToken: a token in the body, for devices that can put it nowhere else.
    mutating func authenticate(
        _ request: Request, bodyToken: String?, _ devices: DeviceBook, _ right: Right,
        _ context: RequestContext
    ) throws(Problem) -> Device {
        guard let device = try vouch(for: request, bodyToken: bodyToken, devices, context) else {
            throw refusal(request, context)
        }
        if let seconds = requests?.take(device.name, at: context.instant) {
            throw .tooMany(retryAfter: seconds)
        }
        guard device.rights.contains(right) else {
            throw .forbidden(
                "'\(device.name)' may not \(right.rawValue); use a token that may: "
                    + "'beemed-relay device add NAME --can \(right.rawValue)'")
        }
        return device
    }

    /// Identifies the sender; nil when the request carries no token.
    ///
    /// - Throws: `Problem` when the token is unknown, or a browser sends it for another site.
    mutating func vouch(
        for request: Request, bodyToken: String? = nil, _ devices: DeviceBook,
        _ context: RequestContext
    ) throws(Problem) -> Device? {
        guard let token = Credentials.token(in: request) ?? bodyToken else {
            return try vouch(forBrowser: request, context)
        }
        if Credentials.isAmbient(in: request), OriginCheck.mayBeForged(request, host: context.host)
        {
            throw .crossSite
        }
        switch knownTokens.bearer(of: token, in: devices, owner: owner) {
        case .device(let device):
            lastSeen.note(device, at: context.moment)
            visitor = device.name
            return device
        case .owner:
            visitor = Device.owner
            return ownerDevice(showing: owner)
        case .nobody: throw tooManyFailures(context) ?? .unknownToken(request)
        }
    }

    /// The owner, when this browser is signed in; nil otherwise.
    private mutating func vouch(
        forBrowser request: Request, _ context: RequestContext
    ) throws(Problem) -> Device? {
        guard let session = Credentials.session(in: request) else { return nil }
        guard sessions.holds(session, at: context.moment.wall) else {
            throw tooManyFailures(context) ?? .signedOut
        }
        guard OriginCheck.isRead(request) || OriginCheck.isOwn(request, host: context.host) else {
            throw .crossSite
        }
        visitor = Device.owner
        return ownerDevice(showing: TokenDigest(of: session))
    }

    /// Whether a token with this digest is valid for anything.
    func knows(_ digest: TokenDigest, _ devices: DeviceBook) -> Bool {
        digest == owner || devices.place(of: digest) != nil
    }

    /// Counts a request that needs no token, or has no route; the refusal above the rate limit.
    mutating func tooManyOpen(_ context: RequestContext) -> Problem? {
        guard strangers != nil else { return nil }
        let key = key(context)
        return strangers?.take(key, at: context.instant).map { .tooMany(retryAfter: $0) }
    }

    /// - Parameter digest: of the credential, the owner's token or a browser's cookie.
    private func ownerDevice(showing digest: TokenDigest) -> Device {
        Device(
            name: Device.owner, generation: ownerGeneration, tokenHash: digest.hex,
            rights: Right.allCases)
    }

    /// The refusal of a request without a token.
    mutating func refusal(_ request: Request, _ context: RequestContext) -> Problem {
        tooManyFailures(context) ?? .withoutToken(request)
    }

    /// Counts a failed authentication; the refusal above the rate limit.
    ///
    /// A valid token is never refused for failures: 160 bits cannot be guessed, and a device must
    /// not be locked out by another one behind the same address.
    mutating func tooManyFailures(_ context: RequestContext) -> Problem? {
        guard failures != nil else { return nil }
        let key = key(context)
        return failures?.take(key, at: context.instant).map { .tooMany(retryAfter: $0) }
    }

    /// The address as text, cached for consecutive requests.
    private mutating func key(_ context: RequestContext) -> String {
        if let last = lastPeer, last.address == context.peer { return last.text }
        let text = "\(context.peer)"
        lastPeer = (context.peer, text)
        return text
    }
}
