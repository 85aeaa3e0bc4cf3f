import BeemedDomain

/// The time of each device's last request. Kept in memory and saved periodically: it shows the user
/// whether a button's battery is empty, and delays no request.
package struct LastSeen: Sendable {
    /// Unix seconds. A later device of the same name starts without a time.
    private var times: [DeviceIdentity: Int64] = [:]
    private(set) var saveAt: Monotonic?

    private static let delay = 60.0

    /// The saved times, by the beginnings of request ids.
    package init(_ times: [String: Int64] = [:]) {
        for (text, time) in times {
            if let identity = DeviceIdentity(withGeneration: text[...]) {
                self.times[identity] = time
            }
        }
    }

    mutating func note(_ device: Device, at moment: Moment) {
        let seconds = moment.wall.seconds
        guard times[device.identity] != seconds else { return }
        times[device.identity] = seconds
        saveAt = saveAt ?? moment.monotonic.adding(seconds: LastSeen.delay)
    }

    /// The times of all devices that were seen since this was asked last, to be saved; nil for none.
    mutating func takeUnsaved(of devices: DeviceBook) -> [String: Int64]? {
        guard saveAt != nil else { return nil }
        saveAt = nil
        let present = Set(devices.devices.map(\.identity))
        times = times.filter { present.contains($0.key) }
        return Dictionary(uniqueKeysWithValues: times.map { ("\($0)", $1) })
    }

    /// The device's last request, in Unix seconds; nil if there was none.
    package func time(of device: Device) -> Int64? { times[device.identity] }
}
