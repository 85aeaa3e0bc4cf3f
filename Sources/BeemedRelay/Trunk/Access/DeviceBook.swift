import BeemedDomain

/// All devices, as stored in `devices.json`.
package struct DeviceBook: Codable, Sendable {
    /// All devices, in the order in which they were added.
    package private(set) var devices: [Device] = []

    /// The index in `devices` of the token with this digest. Digests are compared, not tokens, so
    /// that timing reveals nothing about a token.
    func index(of digest: TokenDigest) -> Int? {
        devices.firstIndex { $0.digest == digest }
    }

    /// The digests of the tokens that may read, in hex.
    var readers: [String] { devices.filter { $0.rights.contains(.read) }.map(\.tokenHash) }

    /// Takes back a new token: its device is the former one again, or gone without one.
    ///
    /// - Returns: false when no device has the token any more.
    mutating func restore(_ former: Device?, insteadOf token: Token) -> Bool {
        guard let index = devices.firstIndex(where: { $0.tokenHash == token.hash }) else {
            return false
        }
        if let former { devices[index] = former } else { devices.remove(at: index) }
        return true
    }

    /// Adds a device with these properties, `expect` written as in "1d", and creates its token.
    ///
    /// - Throws: `Problem`; nothing was added.
    package mutating func add(
        name: String, rights: [String], goals: [String]?, goal: String? = nil,
        value: Double? = nil, strict: Bool = false, expect: String? = nil
    ) throws(Problem) -> Token {
        guard let deviceName = DeviceName(name) else { throw .unusableName(name) }
        guard !Device.isReserved(name), index(of: name) == nil else { throw .nameTaken(name) }
        let parsed = try Right.parse(rights)
        let silence = try expect.map { (text) throws(Problem) in try Silence.parse(text) }
        let token = Token.random()
        let device = Device(
            name: name, generation: newGeneration(for: deviceName), tokenHash: token.hash,
            rights: parsed, goals: goals, goal: goal, value: value, strict: strict ? true : nil,
            expect: silence ?? nil)
        try DeviceBook.check(device)
        devices.append(device)
        return token
    }

    /// The result of adopting a device that another relay exported.
    enum Adoption: String {
        case added
        /// The same device with an earlier token.
        case updated
        /// Exactly this device.
        case known = "known already"
    }

    /// Adopts a device that another relay exported, with its identity and its token. Of a device
    /// that is known, a later token replaces an earlier one.
    ///
    /// - Throws: `Problem` when another device has its name, its token or its request ids, when
    ///   it has other rights here, or when its token was replaced since; nothing was changed.
    mutating func adopt(_ device: Device) throws(Problem) -> Adoption {
        guard let identity = device.identity else { throw .unusableName(device.name) }
        guard !Device.isReserved(device.name) else { throw .nameTaken(device.name) }
        guard let digest = device.digest else { throw .unusableDigest(device.name) }
        try DeviceBook.check(device)
        if devices.contains(device) { return .known }
        let index = index(of: device.name)
        if let owner = self.index(of: digest), owner != index {
            throw .tokenTaken(devices[owner].name)
        }
        guard let index else {
            guard !isTaken(identity) else { throw .identityTaken(device.name) }
            devices.append(device)
            return .added
        }
        return try adopt(device, insteadOf: index)
    }

    private mutating func adopt(
        _ device: Device, insteadOf index: Int
    ) throws(Problem) -> Adoption {
        let known = devices[index]
        // Without a generation nothing says that they are one.
        guard device.generation != nil, known.isSame(as: device) else {
            throw .identityTaken(device.name)
        }
        if known.tokenHash == device.tokenHash { return .known }
        let (rotations, others) = (known.rotations ?? 0, device.rotations ?? 0)
        guard others >= rotations else { throw .tokenReplaced(device.name) }
        guard others > rotations else { throw .identityTaken(device.name) }
        try change(device.name) { ($0.tokenHash, $0.rotations) = (device.tokenHash, others) }
        return .updated
    }

    private mutating func change(
        _ name: String, _ edit: (inout DeviceRecord) throws(Problem) -> Void
    ) throws(Problem) {
        guard let index = index(of: name) else { throw .unknownDevice(name) }
        var record = DeviceRecord(devices[index])
        try edit(&record)
        devices[index] = record.device
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

    private func newGeneration(for name: DeviceName) -> DeviceGeneration {
        var chance = SystemRandomNumberGenerator()
        var generation: DeviceGeneration
        repeat {
            generation = .random(using: &chance)
        } while isTaken(DeviceIdentity(name: name, generation: generation))
        return generation
    }

    /// Whether another device's request ids have this prefix: a device without a generation may be
    /// named like another one with its generation.
    private func isTaken(_ identity: DeviceIdentity) -> Bool {
        devices.contains { $0.identity?.description == identity.description }
    }

    /// Replaces a device's token; the old one is invalid from now on. The identity stays the same,
    /// so resent events are recognized.
    package mutating func rotate(_ name: String) throws(Problem) -> Token {
        let token = Token.random()
        try change(name) { ($0.tokenHash, $0.rotations) = (token.hash, ($0.rotations ?? 0) &+ 1) }
        return token
    }

    /// Changes how long a device may be silent without a reminder, as in "1d"; "off" for ever.
    ///
    /// - Throws: `Problem`; nothing was changed.
    package mutating func expect(_ text: String, of name: String) throws(Problem) {
        try change(name) { (record) throws(Problem) in
            record.expect = try Silence.parse(text)
        }
    }

    /// Changes what a device may do. Its token and its identity stay.
    ///
    /// - Throws: `Problem`; nothing was changed.
    mutating func limit(_ name: String, to limits: DeviceLimits) throws(Problem) {
        try change(name) { (record) throws(Problem) in
            if let rights = limits.can { record.can = try Right.parse(rights) }
            if let goals = limits.goals { record.goals = goals }
            if let goal = limits.goal { record.goal = goal }
            try DeviceBook.check(record.device)
        }
    }

    /// Removes a device. Its accepted events are still delivered.
    package mutating func remove(_ name: String) throws(Problem) {
        guard let index = index(of: name) else { throw .unknownDevice(name) }
        devices.remove(at: index)
    }

    private func index(of name: String) -> Int? {
        devices.firstIndex { $0.name == name }
    }
}

extension Problem {
    static func unusableDevice(_ detail: String) -> Problem { Problem(.unusableDevice, detail) }

    static func unusableName(_ name: String) -> Problem {
        .unusableDevice("'\(name)' cannot name a device; use 1 to 32 letters, digits, '-' and '_'")
    }

    static func nameTaken(_ name: String) -> Problem {
        let advice =
            Device.isReserved(name)
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

    static func unusableDigest(_ name: String) -> Problem {
        .unusableDevice(
            "the token of '\(name)' must be given as its SHA-256 in 64 hex digits, as "
                + "'beemed-relay device export' prints it")
    }

    static func unusableExpectation(_ text: String) -> Problem {
        .unusableDevice("'\(text)' is not a valid time; write 1d, 12h or 30m, or off")
    }

    static func identityTaken(_ name: String) -> Problem {
        Problem(
            .nameTaken,
            "there is another device '\(name)' here already, or it has other rights, goals or "
                + "another token here; if this one is to replace it, remove that one first")
    }

    static func tokenReplaced(_ name: String) -> Problem {
        Problem(
            .nameTaken,
            "the token of '\(name)' was replaced since this line was exported; export it again")
    }

    static func tokenTaken(_ name: String) -> Problem {
        .unusableDevice("its token is that of the device '\(name)'; remove that one first")
    }
}
