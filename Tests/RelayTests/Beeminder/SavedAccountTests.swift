import BeemedDomain
import Foundation
import Testing

@testable import RelayTrunk

struct SavedAccountTests {
    private let folder = TemporaryFolder()
    private var store: RelayStore { RelayStore(folder: folder.path) }

    init() throws {
        try folder.make()
    }

    @Test(arguments: [Account.personalToken("abc"), .accessToken("def")])
    func `brings back what it was given`(_ account: Account) throws {
        let connected = ConnectedAccount(
            new: account, user: "alice", at: UnixTime(1_760_000_000))
        expect(store.save(connected, .silent))
        try expect(store.account(), is: connected)
        expect(store.save(nil, .silent))
        try expect(store.account() == nil)
        expect(store.save(nil, .silent))
    }

    @Test func `lets nobody else read the token`() throws {
        expect(
            store.save(ConnectedAccount(new: .personalToken("abc"), at: UnixTime(0)), .silent))
        let path = "\(folder.path)/account.json"
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        expect(attributes[.posixPermissions] as? Int, is: 0o600)
    }

    @Test func `does not take a damaged file for no account, and needs none beside a token`() throws
    {
        try folder.write("{", to: "account.json")
        #expect(throws: Failure.self) { try store.account() }
        try expect(store.account(.personalToken("abc"))?.isSaved, is: false)
    }

    @Test func `knows a token that is saved`() throws {
        let saved = ConnectedAccount(
            new: .personalToken("abc"), user: "alice", at: UnixTime(1_760_000_000))
        expect(store.save(saved, .silent))
        try expect(store.account(.personalToken("abc")), is: saved)
        let other = try require(store.account(.accessToken("s3cret")))
        expect(!other.isSaved && other.user == nil)
    }

    @Test(arguments: [
        ("abcDEF123-_.", true), ("", false), ("a b", false), ("a\nb", false), ("é", false),
        (String(repeating: "a", count: 512), true), (String(repeating: "a", count: 513), false),
    ])
    func `takes for a token what can be one`(_ text: String, _ isPlausible: Bool) {
        expect(Account.personalToken(text).isPlausible, is: isPlausible)
    }
}
