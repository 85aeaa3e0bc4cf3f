import Testing

@testable import BeemedRelay
@testable import RelayTrunk

/// The text of `--store`.
struct StoreLocationTests {
    struct Good: Sendable, CustomTestStringConvertible {
        var text: String
        var members: [String]
        var name: String
        var user: String?
        var testDescription: String { text }
    }

    @Test(arguments: [
        Good(text: "etcd://pi-1:2379/home", members: ["http://pi-1:2379"], name: "home"),
        Good(
            text: "etcd://192.168.1.11:2379,pi_2.local:1,[fd00::1]:65535/A-b_9",
            members: ["http://192.168.1.11:2379", "http://pi_2.local:1", "http://[fd00::1]:65535"],
            name: "A-b_9"),
        Good(
            text: "etcds://relay@nas:2379,pi:2379/home",
            members: ["https://nas:2379", "https://pi:2379"], name: "home", user: "relay"),
        Good(
            text: "etcd://a:1/" + String(repeating: "x", count: 64), members: ["http://a:1"],
            name: String(repeating: "x", count: 64)),
    ])
    func `a location names members, a store and perhaps a user`(_ good: Good) throws {
        let location = try require(StoreLocation(good.text))
        expect(location.members, is: good.members)
        expect(location.name, is: good.name)
        expect(location.user, is: good.user)
        expect(location.text, is: good.text)
        let last = try require(good.members.last)
        expect(location.only(last).members == [last] && location.only(last).name == good.name)
    }

    @Test(
        arguments: [
            "", "etcd://", "etcd:///home", "pi:2379/home", "http://pi:2379/home",
            "ETCD://pi:2379/home", "etcd:pi:2379/home", " etcd://pi:2379/home",
            "etcd://pi/home", "etcd://pi:/home", "etcd://:2379/home", "etcd://pi:0/home",
            "etcd://pi:65536/home", "etcd://pi:+80/home", "etcd://pi:-1/home",
            "etcd://pi:2379", "etcd://pi:2379/", "etcd://pi:2379/home/", "etcd://pi:2379/a/b",
            "etcd://pi:2379/ho me", "etcd://pi:2379/höme", "etcd://pi:2379/home?x",
            "etcd://pi:2379/" + String(repeating: "x", count: 65),
            "etcd://pi:2379,/home", "etcd://,pi:2379/home", "etcd://pi:2379, nas:2379/home",
            "etcd://pi:2379;nas:2379/home", "etcd://pi?x:2379/home", "etcd://pi#x:2379/home",
            "etcd://pi\n:2379/home", "etcd://fd00::1:2379/home", "etcd://[fd00::1:2379/home",
            "etcd://[pi]:2379/home", "etcd://@pi:2379/home", "etcd://a@b@pi:2379/home",
            "etcd://a,b@pi:2379/home", "etcd://pi:2379,relay@nas:2379/home",
        ])
    func `a text that is none says what one looks like`(_ text: String) throws {
        expect(StoreLocation(text) == nil)
        let failure = try #require(throws: Failure.self) {
            try Settings(
                try Arguments(
                    ["--store", text], for: try require(CommandTable.command(["serve"]))),
                environment: [:])
        }
        expect(failure.code, is: .usage)
        expect(failure.message.contains("etcd://HOST:PORT,HOST:PORT/NAME"), "\(failure.message)")
    }

    @Test func `a password in a location is refused with the place where it belongs`() throws {
        let text = "etcd://relay:s3cret@pi:2379/home"
        expect(StoreLocation(text) == nil)
        let spec = try require(CommandTable.command(["serve"]))
        let failures = [
            try #require(throws: Failure.self) { try StoreLocation.named(text) },
            try #require(throws: Failure.self) {
                try Settings(try Arguments(["--store", text], for: spec), environment: [:])
            },
        ]
        for failure in failures {
            expect(failure.message.contains("--store-password-file"))
            expect(!failure.message.contains("s3cret"), "an error is written to the log")
        }
    }

    @Test func `a user needs the file with the password`() throws {
        let folder = TemporaryFolder()
        try PrivateFile.makeFolder(folder.path)
        let file = "\(folder.path)/password"
        var cluster = ClusterSettings()
        cluster.store = StoreLocation("etcd://pi:2379/home")
        try expect(cluster.password() == nil)
        cluster.store = StoreLocation("etcd://relay@pi:2379/home")
        for path in ["", file] {
            cluster.passwordFile = path
            let failure = try #require(throws: Failure.self) { try cluster.password() }
            expect(failure.message.contains("--store-password-file"))
        }
        try PrivateFile.write(Array("s3cret\nmore\n".utf8), to: file)
        try expect(cluster.password(), is: "s3cret")
    }
}
