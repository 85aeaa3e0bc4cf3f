import BeemedDomain

/// When each device last showed its token. Kept in memory, and saved once in a while: it is for
/// people, who want to know whether a button's battery has died, and nobody waits for it.
struct LastSeen: Sendable {
    /// Unix seconds by the device's identity: its successor of the same name was never here.
    private(set) var times: [String: Int64]
    /// When what is new here is to be saved; nil when nothing is.
    private(set) var saveAt: Monotonic?
    /// The device that was here last, and when: it often comes again within a second.
    private var latest: (device: String, generation: DeviceGeneration?, seconds: Int64)?

    /// How long a new time may wait to be saved, in seconds.
    private static let delay = 60.0

    /// - Parameter times: as they were saved.
    init(_ times: [String: Int64] = [:]) {
        self.times = times
    }

    /// A device has shown its token.
    mutating func note(_ device: Device, at moment: Moment) {
        let seconds = moment.wall.seconds
        if let latest, latest.seconds == seconds, latest.device == device.name,
            latest.generation == device.generation
        {
            return
        }
        latest = (device.name, device.generation, seconds)
        let name = LastSeen.name(of: device)
        guard times[name] != seconds else { return }
        times[name] = seconds
        saveAt = saveAt ?? moment.monotonic.adding(seconds: LastSeen.delay)
    }

    /// What is to be saved now, of the devices that there are.
    mutating func takeUnsaved(of devices: DeviceBook) -> [String: Int64]? {
        guard saveAt != nil else { return nil }
        saveAt = nil
        let names = Set(devices.devices.map(LastSeen.name))
        times = times.filter { names.contains($0.key) }
        return times
    }

    /// When this device was last here, in Unix seconds; nil when it never was.
    func time(of device: Device) -> Int64? { times[LastSeen.name(of: device)] }

    private static func name(of device: Device) -> String {
        device.identity?.description ?? device.name
    }
}
