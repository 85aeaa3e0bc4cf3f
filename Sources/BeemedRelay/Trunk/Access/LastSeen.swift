import BeemedDomain

/// The time of each device's last request. Kept in memory and saved periodically: it shows the user
/// whether a button's battery is empty, and delays no request.
package struct LastSeen: Sendable {
    /// Unix seconds by device identity: a later device of the same name starts without a time.
    private(set) var times: [String: Int64]
    /// When to save the changes; nil when there are none.
    private(set) var saveAt: Monotonic?

    /// The latest device and its time: a device often returns within the same second, and to make
    /// and look up its name takes a twentieth of a press.
    private var latest: (device: String, generation: DeviceGeneration?, seconds: Int64)?

    /// Maximum delay before a new time is saved, in seconds.
    private static let delay = 60.0

    /// - Parameter times: the saved times.
    package init(_ times: [String: Int64] = [:]) {
        self.times = times
    }

    /// Notes a request of a device.
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

    /// The times to save, restricted to existing devices.
    mutating func takeUnsaved(of devices: DeviceBook) -> [String: Int64]? {
        guard saveAt != nil else { return nil }
        saveAt = nil
        let names = Set(devices.devices.map(LastSeen.name))
        times = times.filter { names.contains($0.key) }
        return times
    }

    /// The device's last request, in Unix seconds; nil if there was none.
    package func time(of device: Device) -> Int64? { times[LastSeen.name(of: device)] }

    private static func name(of device: Device) -> String {
        device.identity?.description ?? device.name
    }
}
