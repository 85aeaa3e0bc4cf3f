import BeemedDomain

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

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
    /// The SHA-256 of the device's token, in hex.
    var tokenHash: String
    /// How often that token was replaced.
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
    ///
    /// - Throws: `Failure` for an unknown name.
    package static func lines(of book: DeviceBook, _ names: [String]) throws(Failure) -> [String] {
        for name in names where !book.devices.contains(where: { $0.name == name }) {
            throw Failure(.usage, DeviceFault.unknown(name).advice)
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return book.devices.filter { names.isEmpty || names.contains($0.name) }
            .compactMap { try? encoder.encode(DeviceRecord($0)) }
            .map { String(decoding: $0, as: UTF8.self) }
    }

    /// The devices in the output of `lines`.
    ///
    /// - Throws: `Failure` for an invalid line, or when there is no line.
    package static func records(in text: [UInt8]) throws(Failure) -> [DeviceRecord] {
        var records: [DeviceRecord] = []
        let lines = text.split(separator: 0x0A, omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated()
        where !line.allSatisfy(\.isBlank) {
            guard let record = try? JSONDecoder().decode(DeviceRecord.self, from: Data(line)) else {
                throw Failure(
                    .dataError,
                    "line \(index + 1) is no device; 'device import' reads what 'device export' "
                        + "prints, one device a line")
            }
            records.append(record)
        }
        guard !records.isEmpty else { throw Failure(.dataError, "there is no device to import") }
        return records
    }

    /// Adopts all of them, or none.
    ///
    /// - Returns: a line for each, with the result.
    /// - Throws: `Failure` with the conflict.
    package static func adopt(
        _ records: [DeviceRecord], in book: inout DeviceBook
    ) throws(Failure) -> [String] {
        var changed = book
        var lines: [String] = []
        for record in records {
            do throws(DeviceFault) {
                let words =
                    switch try changed.adopt(record.device) {
                    case .added: "added"
                    case .updated: "updated"
                    case .known: "known already"
                    }
                lines.append("\(record.name)\t\(words)")
            } catch {
                throw Failure(.dataError, "nothing was imported: \(error.advice)")
            }
        }
        book = changed
        return lines
    }
}
