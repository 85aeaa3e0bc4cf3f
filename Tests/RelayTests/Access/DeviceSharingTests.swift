import BeemedDomain
import Foundation
import Testing

@testable import RelayTrunk

/// `device export | device import`: two relays that know the same devices on purpose.
struct DeviceSharingTests {
    private let here = TemporaryFolder()
    private let there = TemporaryFolder()

    private func run(
        _ arguments: [String], in folder: TemporaryFolder, input: String = ""
    ) throws -> (code: Int32, output: String, complaint: String) {
        try Executable.run(["device"] + arguments + ["--data", folder.path], input: input)
    }

    private func added(_ name: String, _ options: String...) throws -> String {
        try run(["add", name] + options, in: here).output
    }

    /// That it makes one datapoint of a press, `TwoRelaysTests` shows.
    @Test func `a device is the same at the other relay, and no token is exported`() throws {
        let token = try added("kitchen", "--goals", "water", "--value", "0.25")
        let exported = try run(["export"], in: here).output
        let known = try RelayStore(folder: here.path).devices().devices
        expect(!exported.contains(token))
        let taken = try run(["import"], in: there, input: exported + "\n")
        expect(taken.code == 0 && taken.output == "kitchen\tadded")
        try expect(RelayStore(folder: there.path).devices().devices, is: known)
    }

    @Test func `a running relay takes devices over and knows their tokens at once`() throws {
        let relay = try RunningRelayProgram(in: there)
        let tokens = [try added("kitchen"), try added("hall", "--can", "log")]
        let exported = try run(["export"], in: here).output
        try expect(relay.call("GET", "/context", token: tokens[0]).status, is: 401)
        let taken = try run(["import"], in: there, input: exported)
        expect(taken.code == 0 && taken.output == "kitchen\tadded\nhall\tadded")
        try expect(relay.call("GET", "/context", token: tokens[0]).status, is: 200)
        try expect(relay.call("GET", "/context", token: tokens[1]).status, is: 403)
        try expect(
            run(["import"], in: there, input: exported).output,
            is: "kitchen\tknown already\nhall\tknown already")
        let export = try run(["export", "hall", "kitchen"], in: there).output
        expect(export, is: exported)
    }

    @Test func `a cluster's devices are not exported from the folder, where they are not`() throws {
        let refused = try Executable.run(
            ["device", "export", "--data", here.path],
            environment: ["BEEMED_STORE": "etcd://127.0.0.1:9/home"], input: "")
        expect(refused.code == 78 && refused.output.isEmpty)
        expect(refused.complaint.contains("the devices are in the cluster's store"))
    }

    @Test(arguments: [false, true])
    func `nothing is imported when another device has the name`(_ isRunning: Bool) throws {
        _ = try added("hall")
        _ = try added("kitchen")
        let exported = try run(["export"], in: here).output
        try expect(run(["add", "kitchen"], in: there).code, is: 0)
        let before = try RelayStore(folder: there.path).devices().devices
        let relay =
            try isRunning
            ? RunningRelayProgram(in: there) : nil
        defer { relay?.stop() }
        let refused = try run(["import"], in: there, input: exported)
        expect(refused.code, is: 65)
        expect(refused.complaint.contains("another device 'kitchen'"))
        try expect(RelayStore(folder: there.path).devices().devices, is: before)
        try expect(run(["remove", "kitchen"], in: there).code, is: 0)
        try expect(run(["import"], in: there, input: exported).code, is: 0)
    }

    @Test func `only devices are exported, and only those that there are`() throws {
        _ = try added("kitchen")
        try expect(run(["export", "hall"], in: here).code, is: 64)
        let device = #"{"name":"a","generation":"x7k2p1","can":["log"],"tokenHash":"x"}"#
        for input in ["", "\n", "{}", "br_token", "[]", device] {
            let answer = try run(["import"], in: there, input: input)
            expect(answer.code, is: 65, "\(input)")
        }
    }

    /// The detail of the refusal; nil without one.
    private func fault(_ change: () throws -> Void) -> String? {
        do { try change() } catch { return (error as? Problem)?.detail }
        return nil
    }

    struct Refused: Sendable, CustomTestStringConvertible {
        var change: @Sendable (inout Device) -> Void
        var fault: Problem
        var testDescription: String { fault.detail }
    }

    private static let kitchen = DeviceName.known("kitchen")

    static let refused: [Refused] = [
        Refused(change: { $0.name = .owner }, fault: .nameTaken(.owner)),
        Refused(change: { $0.name = DayTotal.device }, fault: .nameTaken(DayTotal.device)),
        Refused(
            change: { $0.generation = DeviceGeneration(known: "x7k2p1") },
            fault: .identityTaken(kitchen)),
        Refused(change: { $0.tokenHash = Token.random().digest }, fault: .identityTaken(kitchen)),
        Refused(change: { $0.can = [.manage] }, fault: .identityTaken(kitchen)),
        Refused(change: { $0.goals = ["water"] }, fault: .identityTaken(kitchen)),
        Refused(change: { $0.name = .known("hall") }, fault: .tokenTaken(kitchen)),
        Refused(change: { $0.goal = "no goal" }, fault: .unusableDeviceGoal("no goal")),
        Refused(change: { $0.value = .infinity }, fault: .unusableDeviceValue),
        Refused(
            change: { $0.expect = .max }, fault: .unusableExpectation("9223372036854775807 s")),
    ]

    @Test(arguments: refused) func `a device that cannot be taken over is not`(
        _ row: Refused
    ) throws {
        var book = DeviceBook()
        _ = try book.add(name: "kitchen", rights: ["log"], goals: nil)
        try expect(book.adopt(book.devices[0]), is: .known)
        var device = book.devices[0]
        row.change(&device)
        expect(fault { _ = try book.adopt(device) }, is: row.fault.detail)
        expect(book.devices.count, is: 1)
    }

    @Test func `a token that was replaced at the other relay is replaced here, too`() throws {
        var book = DeviceBook()
        let first = try book.add(name: "kitchen", rights: ["log"], goals: nil, expect: "1d")
        let hall = try book.add(name: "hall", rights: ["log"], goals: nil)
        let before = book.devices[0]
        var other = book
        let second = try other.rotate("kitchen")
        try other.expect("off", of: "kitchen")
        var later = other.devices[0]
        try expect(book.adopt(later), is: .updated)
        try expect(book.adopt(later), is: .known)
        expect(book.bearer(of: second.digest)?.expect, is: 86_400, "that is each relay's own")
        expect(book.bearer(of: first.digest) == nil)
        expect(book.bearer(of: hall.digest)?.name, is: .known("hall"))
        // A line from before brings no token back, and a device's right is never changed.
        expect(
            fault { _ = try book.adopt(before) }, is: Problem.tokenReplaced(Self.kitchen).detail
        )
        later.rotations = 9
        later.tokenHash = hall.digest
        expect(fault { _ = try book.adopt(later) }, is: Problem.tokenTaken(.known("hall")).detail)
        later.tokenHash = Token.random().digest
        later.can = [.log, .manage]
        expect(
            fault { _ = try book.adopt(later) }, is: Problem.identityTaken(Self.kitchen).detail
        )
        expect(book.bearer(of: second.digest)?.name, is: Self.kitchen)
    }

    @Test func `a refusal is short, however long a character is`() {
        let accents = "e" + String(repeating: "\u{301}", count: 30_000)
        let detail = Problem(.malformed, "'\(accents.prefix(40))' is not a number").detail
        expect((4_000...4_100).contains(detail.utf8.count))
    }

    @Test func `may log to its goals under every name that they have had`() throws {
        var book = DeviceBook()
        _ = try book.add(name: "kitchen", rights: ["log"], goals: ["water"])
        let names = ["tea": ["tea", "water"], "water": ["tea", "water"], "run": ["run"]]
        for (goal, isAllowed) in [("tea", true), ("water", true), ("run", false)] {
            let slug = try require(GoalSlug(goal))
            expect(book.devices[0].mayLog(to: slug) { names["\($0)"] ?? [] }, is: isAllowed)
            let fields = try BodyReader.fields(ofQuery: "value=1")
            let press = try? Press(
                fields, path: goal, from: book.devices[0], PresetBook(),
                names: { names["\($0)"] ?? [] })
            expect((press != nil) == isAllowed)
        }
    }
}
