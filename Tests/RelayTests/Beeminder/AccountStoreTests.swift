import BeemedDomain
import Foundation
import Testing

@testable import BeemedRelay

@Suite struct AccountStoreTests {
    private let folder = TemporaryFolder()
    private var store: AccountStore { AccountStore(folder: folder.path) }

    init() throws {
        try FileManager.default.createDirectory(
            atPath: folder.path, withIntermediateDirectories: true)
    }

    private func text(_ name: String) throws -> String {
        try String(contentsOfFile: "\(folder.path)/\(name)", encoding: .utf8)
    }

    @Test(arguments: [Account.personalToken("abc"), .accessToken("def")])
    func `brings back what it was given`(_ account: Account) throws {
        let connected = ConnectedAccount(
            new: account, user: "alice", at: UnixTime(1_760_000_000))
        try store.save(connected)
        #expect(try store.load() == connected)
        try store.remove()
        #expect(try store.load() == nil)
        try store.remove()
    }

    @Test func `gives every connection a name of its own`() {
        let names = (0..<100).map { _ in
            ConnectedAccount(new: .personalToken("a"), at: UnixTime(0)).name
        }
        #expect(Set(names).count == 100)
        #expect(names.allSatisfy { $0.count == 8 && $0.allSatisfy(\.isLetterOrDigit) })
    }

    #if !canImport(Security)
        @Test func `lets nobody else read the token`() throws {
            try store.save(ConnectedAccount(new: .personalToken("abc"), at: UnixTime(0)))
            let path = "\(folder.path)/account.json"
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }

        @Test func `does not take a damaged file for no account`() throws {
            try "{".write(
                toFile: "\(folder.path)/account.json", atomically: true, encoding: .utf8)
            #expect(throws: Failure.self) { try store.load() }
        }
    #endif

    @Test func `keeps the name of the environment's token over restarts, and not the token`() throws
    {
        let first = try store.adopt(.personalToken("s3cret"))
        #expect(!first.isSaved)
        #expect(try store.adopt(.personalToken("s3cret")) == first)
        #expect(try !text("environment-account.json").contains("s3cret"))
        let other = try store.adopt(.personalToken("another"))
        #expect(other.name != first.name)
    }

    @Test func `gives the environment's token the same name where it cannot be kept`() throws {
        let file = "\(folder.path)/environment-account.json"
        let first = try store.adopt(.personalToken("s3cret"))
        try FileManager.default.removeItem(atPath: file)
        try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: true)
        let again = try store.adopt(.personalToken("s3cret"))
        #expect(again.name == first.name && ConnectionName(again.name) != nil)
        #expect(try store.adopt(.personalToken("another")).name != first.name)
    }

    @Test func `knows a token by the name it was saved under`() throws {
        let saved = ConnectedAccount(
            new: .personalToken("abc"), user: "alice", at: UnixTime(1_760_000_000))
        try store.save(saved)
        #expect(try store.adopt(.personalToken("abc")) == saved)
        #expect(try store.adopt(.accessToken("abc")).name != saved.name)
        #expect(try store.known(.personalToken("abc"))?.user == "alice")
        #expect(try store.known(.personalToken("never")) == nil)
    }

    @Test(arguments: [
        ("abcDEF123-_.", true), ("", false), ("a b", false), ("a\nb", false), ("é", false),
        (String(repeating: "a", count: 512), true), (String(repeating: "a", count: 513), false),
    ])
    func `takes for a token what can be one`(_ text: String, _ isPlausible: Bool) {
        #expect(Account.personalToken(text).isPlausible == isPlausible)
    }
}

extension Character {
    fileprivate var isLetterOrDigit: Bool { isASCII && (isLowercase || isNumber) }
}
