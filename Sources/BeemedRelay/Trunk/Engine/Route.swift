package import RelayHTTP

/// A line of the table of routes: a method at a path, and all that the relay knows about it. A
/// class, since a route never changes: each request would copy all of it.
package final class Route: Sendable {
    /// Answers a request; nil when the answer follows later. Throws `Problem` only, which a closure
    /// cannot infer yet (SE-0413, "Closure thrown type inference").
    package typealias Handler = @Sendable (isolated Relay, Call) throws -> Response?
    /// The same with the sender, for what depends on it.
    package typealias SenderHandler = @Sendable (isolated Relay, Call, Device) throws -> Response?

    /// The proof that a request requires, and its answer.
    enum Access: Sendable {
        /// Requires no token.
        case open(Handler)
        /// Requires a token with the right to log, which may be a field of the press: so the
        /// handler identifies the sender.
        case press(Handler)
        case right(Right, SenderHandler)
    }

    /// The other properties of a route.
    package struct Traits: OptionSet, Sendable {
        /// A bit for each trait.
        package let rawValue: UInt16

        /// Traits by their bits.
        package init(rawValue: UInt16) { self.rawValue = rawValue }

        /// A plain GET changes it, for devices that can only fetch a URL.
        package static let changesByGet = Traits(rawValue: 1)
        /// A GET that has a one-time code, or gets one.
        package static let signsIn = Traits(rawValue: 2)
        /// Its content is kept to be shown: it says why a press or a day of health data is missing.
        package static let showsContent = Traits(rawValue: 4)
        /// Its path and query are not shown: a token, or the address of a service, may stand in
        /// them by mistake.
        package static let hidesTarget = Traits(rawValue: 8)
        /// A method that usually changes something changes nothing here.
        package static let isRead = Traits(rawValue: 16)
        /// Answered as soon as the disk allows, and does not wait for Beeminder.
        package static let isPrompt = Traits(rawValue: 32)
        /// Its path names an entry, which is there if this succeeds.
        package static let isEntry = Traits(rawValue: 128)
        /// Its answer may take as long as the client likes.
        package static let isLong = Traits(rawValue: 64)
    }

    let method: Method
    /// The path, as in the contract: `/log/{goal}`.
    let pattern: StaticString
    let access: Access
    /// The parameters that its query may have; nil where clients add their own: devices to the
    /// address that they fetch for a press, webhooks, browsers and monitors to that of a page or a
    /// check. There unknown ones are a part of the press, or change nothing.
    package let parameters: [String]?
    /// Maximum content length, in bytes: a device's whole offline queue may come at once,
    /// everything else is small.
    package let bodyBytes: Int
    /// The advice for content that is longer; nil for the general words.
    let tooLarge: String?
    /// The other properties.
    package let traits: Traits

    /// A route that requires no token.
    package init(
        open method: Method, _ pattern: StaticString, _ traits: Traits = [],
        handle: @escaping Handler
    ) {
        (self.method, self.pattern, self.traits) = (method, pattern, traits)
        (access, parameters, bodyBytes) = (.open(handle), nil, Relay.smallBodyBytes)
        tooLarge = nil
    }

    /// A route for one press.
    package init(
        press method: Method, _ pattern: StaticString, _ traits: Traits = [],
        handle: @escaping Handler
    ) {
        (self.method, self.pattern) = (method, pattern)
        self.traits = traits.union([.showsContent, .isPrompt])
        (access, parameters, bodyBytes) = (.press(handle), nil, Relay.smallBodyBytes)
        tooLarge = nil
    }

    /// A route that requires a token with this right.
    package init(
        _ method: Method, _ pattern: StaticString, _ right: Right, query: [String]? = [],
        bodyBytes: Int = Relay.smallBodyBytes, tooLarge: String? = nil, _ traits: Traits = [],
        from handle: @escaping SenderHandler
    ) {
        (self.method, self.pattern, self.traits) = (method, pattern, traits)
        (access, parameters) = (.right(right, handle), query)
        (self.bodyBytes, self.tooLarge) = (bodyBytes, tooLarge)
    }

    /// The same, answered alike for every sender with the right.
    package convenience init(
        _ method: Method, _ pattern: StaticString, _ right: Right, query: [String]? = [],
        bodyBytes: Int = Relay.smallBodyBytes, _ traits: Traits = [], handle: @escaping Handler
    ) {
        self.init(method, pattern, right, query: query, bodyBytes: bodyBytes, traits) {
            relay, call, _ in try handle(relay, call)
        }
    }

    /// Whether the route requires no token.
    package var isOpen: Bool { if case .open = access { true } else { false } }

    /// Whether the token may be in the content if the head has none.
    package var takesTokenInBody: Bool { if case .press = access { true } else { false } }

    /// Whether a success changes nothing, so that it need not be kept to be shown.
    package var isRead: Bool {
        traits.contains(.isRead)
            || method == .get && traits.isDisjoint(with: [.changesByGet, .signsIn])
    }

    /// Refuses a query with a parameter that would be ignored: a filter that was mistyped would
    /// show everything, and a dry run that was mistyped would be none.
    ///
    /// - Throws: `Problem`, which names the parameters that there are.
    func check(query: String) throws(Problem) {
        guard let parameters else { return }
        for (name, _) in FormDecoder.pairs(query) where !parameters.contains(name) {
            guard name != "token" else { continue }
            // A name may be all of a secret there.
            let shown =
                traits.contains(.hidesTarget)
                ? "of this name" : "'\(Redaction.text(String(name.prefix(40))))'"
            let others = parameters.map { "'\($0)'" }.joined(separator: ", ")
            throw .malformed(
                "there is no parameter \(shown) here; "
                    + (parameters.isEmpty ? "leave it out" : "there are \(others)"))
        }
    }
}
