import Foundation
import Testing

@testable import RelayTrunk

/// The owner's token in its file, as people and editors leave it.
struct OwnerTokenTests {
    private let folder = TemporaryFolder()

    /// A folder that was used, whose owner's token is this text.
    private func store(_ contents: String) throws -> RelayStore {
        let store = try RelayFolder(folder.path).store
        _ = try store.ownerToken()
        try PrivateFile.write(Array(contents.utf8), to: DataFile.ownerToken.path(in: folder.path))
        return store
    }

    @Test(arguments: [
        "TOKEN", "TOKEN\n", "TOKEN\r\n", "TOKEN \n", " TOKEN\t\n\n", "\nTOKEN\n", "TOKEN\n# mine\n",
        "\u{FEFF}TOKEN\n",
    ])
    func `white space around it is no part of it`(_ form: String) throws {
        let token = Token.random().text
        let contents = form.replacing("TOKEN", with: token)
        let store = try store(contents)
        expect(store.isUsed)
        try expect(store.ownerToken() == token && store.savedOwnerToken() == token)
        let kept = try Data(contentsOf: URL(fileURLWithPath: "\(folder.path)/owner-token"))
        expect(kept, is: Data(contents.utf8))
    }

    @Test(arguments: [
        "x", "br_", "br_x\n", "password\n", "br_0123456789abcdefghjkmnpqrstvwxyz0\n",
        "br_0123456789ABCDEFGHJKMNPQRSTVWXYZ\n", "br_0123456789abcdef\nghjkmnpqrstvwxyz\n", "\u{0}",
    ])
    func `anything else is no password`(_ contents: String) throws {
        let store = try store(contents)
        expect(store.isUsed)
        #expect(throws: Failure.self) { try store.ownerToken() }
        #expect(throws: Failure.self) { try store.savedOwnerToken() }
    }

    @Test func `a start is refused when it is damaged, and says what to do`() throws {
        _ = try store("br_\n")
        let served = try Executable.run(
            ["serve", "--data", folder.path, "--listen", "127.0.0.1:0"], input: "")
        expect(served.code, is: ExitCode.config.rawValue, "\(served.output)")
        expect(served.complaint.contains("owner-token is damaged; repair it or move it away"))
    }

    @Test(arguments: ["", "\n"]) func `an empty file is none`(_ contents: String) throws {
        let store = try store(contents)
        expect(!store.isUsed)
        try expect(store.savedOwnerToken() == nil)
        try expect(Token(store.ownerToken()) != nil)
    }
}
