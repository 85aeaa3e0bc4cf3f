import Foundation
import RelayHTTP
import Testing

@testable import BeemedRelay

/// A relay of a cluster that follows, on a loop and a port of its own. A test says who leads.
final class RunningFollower: Sendable {
    let endpoint: Endpoint
    private let loop = Loop()
    private let front: ClusterFront
    private let server: Server

    /// - Parameters:
    ///   - leader: nil when none is known.
    ///   - arguments: settings.
    init(following leader: Endpoint?, _ arguments: [String] = []) throws {
        let settings = try RunningFollower.settings(arguments)
        front = ClusterFront(settings, on: loop, log: Log(level: .error) { _ in })
        server = Server(on: loop, limits: settings.limits(descriptors: 1_024), front.application)
        endpoint = try server.listen(on: Endpoint(Address([127, 0, 0, 1]), port: 0))
        let (front, server) = (front, server)
        loop.post {
            front.assumeIsolated { front in
                front.begin(server)
                front.follow(leader)
            }
        }
        Thread { [loop] in loop.run() }.start()
    }

    deinit {
        loop.stop()
    }

    private static func settings(_ arguments: [String]) throws -> Settings {
        let line = ["--data", "/nowhere", "--listen", "127.0.0.1:0"] + arguments
        let spec = try #require(CommandTable.command(["serve"]))
        return try Settings(try Arguments(line, for: spec), environment: [:])
    }

    /// The settings are read again.
    func change(_ arguments: [String]) throws {
        let settings = try RunningFollower.settings(arguments)
        loop.post { [front] in front.assumeIsolated { $0.change(settings) } }
    }

    /// Another relay leads, or none.
    func follow(_ leader: Endpoint?) {
        loop.post { [front] in front.assumeIsolated { $0.follow(leader) } }
    }

    /// Sends a request, and reads the whole answer.
    ///
    /// - Parameter head: the lines of its head.
    func call(_ head: String..., body: String = "") throws -> String {
        let client = Client(endpoint)
        client.send(head.joined(separator: "\r\n") + "\r\n\r\n" + body)
        return try #require(client.answer(toHead: head[0].hasPrefix("HEAD ")))
    }
}

extension RawBeeminder {
    var endpoint: Endpoint { Endpoint(Address([127, 0, 0, 1]), port: port) }
}
