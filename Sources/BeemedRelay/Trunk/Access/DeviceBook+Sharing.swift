import BeemedDomain

/// `device export | device import`: one JSON object a line.
extension DeviceBook {
    /// The named devices as lines; all of them when none is named.
    package func lines(_ names: [String]) throws(Failure) -> [String] {
        for name in names where self[name] == nil {
            throw Failure(.usage, Problem.unknownDevice(name).detail)
        }
        return devices.filter { names.isEmpty || names.contains("\($0.name)") }
            .compactMap(\.jsonLine).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The devices in the output of `lines`.
    package static func devices(in text: [UInt8]) throws(Failure) -> [Device] {
        var devices: [Device] = []
        let lines = text.split(separator: 0x0A, omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated()
        where !line.allSatisfy(\.isBlank) {
            guard let device = Device(json: Array(line)) else {
                throw Failure(
                    .dataError,
                    "line \(index + 1) is not a device; 'device import' reads what 'device export' "
                        + "prints, one device a line")
            }
            devices.append(device)
        }
        guard !devices.isEmpty else { throw Failure(.dataError, "there is no device to import") }
        return devices
    }

    /// Adopts all of them, or none, and returns a line for each, with the result.
    package mutating func adopt(_ devices: [Device]) throws(Failure) -> [String] {
        var changed = self
        var lines: [String] = []
        for device in devices {
            do throws(Problem) {
                lines.append("\(device.name)\t\(try changed.adopt(device).rawValue)")
            } catch {
                throw Failure(.dataError, "nothing was imported: \(error.detail)")
            }
        }
        self = changed
        return lines
    }
}
