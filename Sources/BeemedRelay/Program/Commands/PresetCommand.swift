import BeemedDomain

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// `beemed-relay preset list|set|remove`.
struct PresetCommand {
    /// The answer to `GET /presets`, as far as commands show it.
    struct Presets: Decodable {
        struct Entry: Decodable {
            var name: String
            var goal: String
            var value: Double?
            var comment: String?
            var minimumInterval: Int64?
            var oncePerDay: Bool?
            var mergeSeconds: Int64?
        }
        var presets: [Entry]
    }

    private let invocation: Invocation
    private let verb: String

    /// - Parameter verb: `list`, `set` or `remove`.
    init(_ invocation: Invocation, _ verb: String) {
        self.invocation = invocation
        self.verb = verb
    }

    func run() throws(Failure) -> ExitCode {
        switch verb {
        case "set":
            return try invocation.print(try set(), as: Presets.Entry.self) { preset in
                show([preset])
            }
        case "remove":
            _ = try invocation.relay().call("DELETE", path)
            Console.output("the preset '\(invocation.arguments.words[0])' is removed")
            return .ok
        default:
            let answer = try invocation.relay().call("GET", "/presets")
            return try invocation.print(answer, as: Presets.self) { list in
                if list.presets.isEmpty {
                    Console.notice("there are no presets; make one: preset set glass water 0.25")
                }
                show(list.presets)
            }
        }
    }

    private var path: String { "/presets/\(invocation.arguments.words[0].asPathSegment)" }

    private func show(_ presets: [Presets.Entry]) {
        Console.table(["PRESET", "GOAL", "VALUE", "GUARDS", "COMMENT"], presets.map(row))
    }

    private func row(_ preset: Presets.Entry) -> [String] {
        let guards = [
            preset.minimumInterval.map { "at most every \($0) s" },
            preset.oncePerDay == true ? "once a day" : nil,
            preset.mergeSeconds.map { "merged within \($0) s" },
        ].compactMap(\.self)
        return [
            preset.name, preset.goal, (preset.value ?? 1).signedText,
            guards.joined(separator: ", "), preset.comment ?? "",
        ]
    }

    private func set() throws(Failure) -> Data {
        let arguments = invocation.arguments
        var body: [String: any Encodable] = ["goal": arguments.words[1]]
        if arguments.words.count > 2 {
            body["value"] = try number(arguments.words[2], "VALUE")
        }
        body["comment"] = arguments["comment"]
        if let text = arguments["minimum-interval"] {
            body["minimumInterval"] = try seconds(text, "--minimum-interval")
        }
        if let text = arguments["merge-seconds"] {
            body["mergeSeconds"] = try seconds(text, "--merge-seconds")
        }
        if arguments.has("once-per-day") { body["oncePerDay"] = true }
        return try invocation.relay().call("PUT", path, body)
    }

    private func seconds(_ text: String, _ name: String) throws(Failure) -> Int64 {
        let range = 1...PresetOptions.longestSeconds
        guard let number = Double(text), let seconds = Int64(exactly: number),
            range.contains(seconds)
        else {
            throw Failure(
                .usage,
                "\(name) '\(text)' is not a number of seconds from 1 to \(range.upperBound)")
        }
        return seconds
    }

    private func number(_ text: String, _ name: String) throws(Failure) -> Double {
        guard let number = Double(text), number.isFinite else {
            throw Failure(.usage, "\(name) '\(text)' is not a number")
        }
        return number
    }
}
