import BeemedDomain

/// A device as `device export` prints it, one JSON object per line, and as `PUT /devices/{name}`
/// reads it: everything that another relay needs to know the same device. A record contains no
/// token, only a digest that does not reveal one; a client that may change another relay's devices
/// can use it to admit the device there.
package struct DeviceRecord: Codable, Sendable {
    /// The device's name.
    package var name: String
    var generation: DeviceGeneration?
    var can: [Right]
    /// The goals to which it may log; nil for all.
    package var goals: [String]?
    /// The goal of presses that name none.
    package var goal: String?
    var value: Double?
    var strict: Bool?
    var expect: Int64?
    var tokenHash: String
    var rotations: Int?

    init(_ device: Device) {
        name = device.name
        generation = device.generation
        can = device.rights
        goals = device.goals
        goal = device.goal
        value = device.value
        strict = device.strict
        expect = device.expect
        tokenHash = device.tokenHash
        rotations = device.rotations
    }

    var device: Device {
        Device(
            name: name, generation: generation, tokenHash: tokenHash.lowercased(), rights: can,
            goals: goals, goal: goal, value: value, strict: strict, expect: expect,
            rotations: rotations)
    }

    /// The named devices as lines; all of them when none is named.
    package static func lines(of book: DeviceBook, _ names: [String]) throws(Failure) -> [String] {
        for name in names where !book.devices.contains(where: { $0.name == name }) {
            throw Failure(.usage, Problem.unknownDevice(name).detail)
        }
        return book.devices.filter { names.isEmpty || names.contains($0.name) }
            .compactMap { DeviceRecord($0).jsonLine }
            .map { String(decoding: $0, as: UTF8.self) }
    }

    /// The devices in the output of `lines`.
    package static func records(in text: [UInt8]) throws(Failure) -> [DeviceRecord] {
        var records: [DeviceRecord] = []
        let lines = text.split(separator: 0x0A, omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated()
        where !line.allSatisfy(\.isBlank) {
            guard let record = DeviceRecord(json: Array(line)) else {
                throw Failure(
                    .dataError,
                    "line \(index + 1) is not a device; 'device import' reads what 'device export' "
                        + "prints, one device a line")
            }
            records.append(record)
        }
        guard !records.isEmpty else { throw Failure(.dataError, "there is no device to import") }
        return records
    }

    /// Adopts all of them, or none, and returns a line for each, with the result.
    package static func adopt(
        _ records: [DeviceRecord], in book: inout DeviceBook
    ) throws(Failure) -> [String] {
        var changed = book
        var lines: [String] = []
        for record in records {
            do throws(Problem) {
                let adoption = try changed.adopt(record.device)
                lines.append("\(record.name)\t\(adoption.rawValue)")
            } catch {
                throw Failure(.dataError, "nothing was imported: \(error.detail)")
            }
        }
        book = changed
        return lines
    }
}

/// The time of each device's last request. Kept in memory and saved periodically: it shows the user
/// whether a button's battery is empty, and delays no request.
package struct LastSeen: Sendable {
    /// Unix seconds by device identity: a later device of the same name starts without a time.
    private(set) var times: [String: Int64]
    /// When to save the changes; nil when there are none.
    private(set) var saveAt: Monotonic?

    private static let delay = 60.0

    /// - Parameter times: the saved times.
    package init(_ times: [String: Int64] = [:]) {
        self.times = times
    }

    mutating func note(_ device: Device, at moment: Moment) {
        let seconds = moment.wall.seconds
        guard times[device.label] != seconds else { return }
        times[device.label] = seconds
        saveAt = saveAt ?? moment.monotonic.adding(seconds: LastSeen.delay)
    }

    mutating func takeUnsaved(of devices: DeviceBook) -> [String: Int64]? {
        guard saveAt != nil else { return nil }
        saveAt = nil
        let names = Set(devices.devices.map(\.label))
        times = times.filter { names.contains($0.key) }
        return times
    }

    /// The device's last request, in Unix seconds; nil if there was none.
    package func time(of device: Device) -> Int64? { times[device.label] }
}
