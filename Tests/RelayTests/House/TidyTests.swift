import Foundation
import Testing

/// The rules of the house that a machine can hold.
struct TidyTests {
    struct Forbidden: CustomTestStringConvertible, Sendable {
        var text: String
        var folder: String
        var reason: String
        var except: [String] = []
        var testDescription: String { "\(text) in \(folder): \(reason)" }
    }

    @Test(arguments: [
        Forbidden(
            text: "import RelayHTTP", folder: "Sources/BeemedDomain",
            reason: "the domain must run without a socket"),
        Forbidden(
            text: "import BeemedDomain", folder: "Sources/RelayHTTP",
            reason: "the server knows bytes, not presses"),
        Forbidden(
            text: "import Foundation", folder: "Sources/RelayHTTP",
            reason: "the standard library and the system's calls suffice"),
        Forbidden(
            text: "Date()", folder: "Sources/BeemedDomain", reason: "time is an argument"),
        Forbidden(
            text: "SystemRandomNumberGenerator", folder: "Sources/BeemedDomain",
            reason: "chance is an argument"),
        Forbidden(
            text: "URLSession", folder: "Sources/BeemedDomain",
            reason: "the way to Beeminder is a port"),
        Forbidden(
            text: "@unchecked Sendable", folder: "Sources",
            reason: "the compiler checks who owns what",
            // libcurl's pointers, each of which one thread has at a time.
            except: ["CurlTransport.swift"]),
        Forbidden(
            text: "nonisolated(unsafe)", folder: "Sources",
            reason: "the compiler checks who owns what"),
        Forbidden(text: "Task.detached", folder: "Sources", reason: "work has an owner"),
        Forbidden(text: "try!", folder: "Sources", reason: "an outage is not a bug"),
        Forbidden(text: "FIX" + "ME", folder: "Sources", reason: "do it or write an issue"),
        Forbidden(text: "TO" + "DO", folder: "Sources", reason: "do it or write an issue"),
        Forbidden(text: "public ", folder: "Sources", reason: "what crosses a wall is package"),
    ])
    func `nobody writes`(_ rule: Forbidden) throws {
        let files = try SourceTree.swiftFiles(below: rule.folder)
            .filter { Data($0.text.utf8).range(of: Data(rule.text.utf8)) != nil }
        let offenders = files.flatMap { file in
            file.lines.enumerated()
                .filter { line in
                    let code = line.element.drop { $0 == " " }
                    return code.contains(rule.text) && !code.hasPrefix("//")
                }
                .map { "\(file.path):\($0.offset + 1)" }
        }
        let left = offenders.filter { place in !rule.except.contains { place.contains($0) } }
        expect(left, is: [], "\(rule.reason)")
    }

    @Test func `the package has no dependencies`() throws {
        let package = try SourceTree.file("Package.swift").text
        expect(!package.contains(".package("))
    }
}
