import BeemedDomain

/// All devices, as stored in `devices.json`.
package struct DeviceBook: Codable, Sendable {
    /// All devices, in the order in which they were added.
    package private(set) var devices: [Device] = []

    /// The device of this name; nil when there is none.
    package subscript(name: String) -> Device? {
        devices.first { $0.name.description == name }
    }

    /// The device whose token has this digest; nil when nobody has it. Digests are compared, not
    /// tokens, so that timing reveals nothing about a token.
    func bearer(of digest: TokenDigest) -> Device? {
        devices.first { $0.tokenHash == digest }
    }

    /// The digests of the tokens that may do this.
    func digests(of right: Right) -> Set<TokenDigest> {
        Set(devices.filter { $0.may(right) }.map(\.tokenHash))
    }

    /// Takes back a new token; false when no device has it any more.
    mutating func restore(_ former: Device?, insteadOf token: Token) -> Bool {
        guard let index = devices.firstIndex(where: { $0.tokenHash == token.digest }) else {
            return false
        }
        if let former { devices[index] = former } else { devices.remove(at: index) }
        return true
    }

    /// Adds a device with these properties, `expect` written as in "1d", and creates its token.
    package mutating func add(
        name text: String, rights: [String], goals: [String]?, goal: String? = nil,
        value: Double? = nil, strict: Bool = false, expect: String? = nil
    ) throws(Problem) -> Token {
        guard let name = DeviceName(text) else { throw .unusableName(text) }
        guard !name.isReserved, self[text] == nil else { throw .nameTaken(name) }
        let parsed = try Right.parse(rights)
        let silence = try expect.map { (text) throws(Problem) in try Silence.parse(text) }
        let token = Token.random()
        var chance = SystemRandomNumberGenerator()
        let device = Device(
            name: name, generation: .random(using: &chance), tokenHash: token.digest, can: parsed,
            goals: goals, goal: goal, value: value, strict: strict ? true : nil,
            expect: silence ?? nil)
        try DeviceBook.check(device)
        devices.append(device)
        return token
    }

    enum Adoption: String {
        case added
        /// The same device with an earlier token.
        case updated
        case known = "known already"
    }

    /// Adopts a device that another relay exported, with identity and token, if nothing here
    /// contradicts it. Of a device that is known, a later token replaces an earlier one.
    mutating func adopt(_ device: Device) throws(Problem) -> Adoption {
        let name = device.name
        guard !name.isReserved else { throw .nameTaken(name) }
        try DeviceBook.check(device)
        if let owner = bearer(of: device.tokenHash), owner.name != name {
            throw .tokenTaken(owner.name)
        }
        guard let known = self[name.description] else {
            devices.append(device)
            return .added
        }
        // Only the tokens, and how long each may be silent, may differ.
        var same = known
        (same.tokenHash, same.rotations) = (device.tokenHash, device.rotations)
        same.expect = device.expect
        guard same == device else { throw .identityTaken(name) }
        if known.tokenHash == device.tokenHash { return .known }
        let (rotations, others) = (known.rotations ?? 0, device.rotations ?? 0)
        guard others >= rotations else { throw .tokenReplaced(name) }
        guard others > rotations else { throw .identityTaken(name) }
        try change(name.description) { ($0.tokenHash, $0.rotations) = (device.tokenHash, others) }
        return .updated
    }

    private mutating func change(
        _ name: String, _ edit: (inout Device) throws(Problem) -> Void
    ) throws(Problem) {
        let index = try index(of: name)
        var device = devices[index]
        try edit(&device)
        devices[index] = device
    }

    private func index(of name: String) throws(Problem) -> Int {
        guard let index = devices.firstIndex(where: { $0.name.description == name }) else {
            throw .unknownDevice(name)
        }
        return index
    }

    private static func check(_ device: Device) throws(Problem) {
        let (goal, goals) = (device.goal, device.goals)
        for goal in (goals ?? []) + [goal].compactMap(\.self) where GoalSlug(goal) == nil {
            throw .unusableDeviceGoal(goal)
        }
        if let goal, let goals, !goals.contains(goal) {
            throw .unusableDevice(
                "the goal '\(goal)' is not among those it may log to; add it there or leave it out")
        }
        guard (device.value ?? 1).magnitude <= Press.greatestValue else {
            throw .unusableDeviceValue
        }
        if let expect = device.expect, !Silence.range.contains(expect) {
            throw .unusableExpectation("\(expect) s")
        }
    }

    /// Replaces a device's token. The identity stays, so resent events are recognized.
    package mutating func rotate(_ name: String) throws(Problem) -> Token {
        let token = Token.random()
        try change(name) { ($0.tokenHash, $0.rotations) = (token.digest, ($0.rotations ?? 0) &+ 1) }
        return token
    }

    /// Changes how long a device may be silent without a reminder, as in "1d"; "off" for ever.
    package mutating func expect(_ text: String, of name: String) throws(Problem) {
        try change(name) { (device) throws(Problem) in
            device.expect = try Silence.parse(text)
        }
    }

    /// Changes what a device may do. Its token and its identity stay.
    mutating func limit(_ name: String, to limits: DeviceLimits) throws(Problem) {
        try change(name) { (device) throws(Problem) in
            if let rights = limits.can { device.can = try Right.parse(rights) }
            if let goals = limits.goals { device.goals = goals }
            if let goal = limits.goal { device.goal = goal }
            try DeviceBook.check(device)
        }
    }

    /// Removes a device. Its accepted events are still delivered.
    package mutating func remove(_ name: String) throws(Problem) {
        devices.remove(at: try index(of: name))
    }
}

extension Problem {
    static func unusableDevice(_ detail: String) -> Problem { Problem(.unusableDevice, detail) }

    static func unusableName(_ name: String) -> Problem {
        .unusableDevice("'\(name)' cannot name a device; use 1 to 32 letters, digits, '-' and '_'")
    }

    static func nameTaken(_ name: DeviceName) -> Problem {
        let advice =
            name.isReserved
            ? "the name '\(name)' is reserved for the relay itself; choose another name"
            : "there is a device '\(name)' already; for another token: beemed-relay device rotate "
                + "\(name); for another device choose another name"
        return Problem(.nameTaken, advice)
    }

    static func unusableDeviceGoal(_ goal: String) -> Problem {
        .unusableDevice("'\(goal)' cannot be a goal; use the name from its Beeminder URL")
    }

    static let unusableDeviceValue = unusableDevice(
        "the value must be a number from -1e15 to 1e15, as in 0.25")

    static func unknownDevice(_ name: String) -> Problem {
        .notFound("there is no device '\(name)'; 'beemed-relay device list' names them")
    }

    static func unusableExpectation(_ text: String) -> Problem {
        .unusableDevice("'\(text)' is not a valid time; write 1d, 12h or 30m, or off")
    }

    static func identityTaken(_ name: DeviceName) -> Problem {
        Problem(
            .nameTaken,
            "there is another device '\(name)' here already, or it has other rights, goals or "
                + "another token here; if this one is to replace it, remove that one first")
    }

    static func tokenReplaced(_ name: DeviceName) -> Problem {
        Problem(
            .nameTaken,
            "the token of '\(name)' was replaced since this line was exported; export it again")
    }

    static func tokenTaken(_ name: DeviceName) -> Problem {
        .unusableDevice("its token is that of the device '\(name)'; remove that one first")
    }
}
