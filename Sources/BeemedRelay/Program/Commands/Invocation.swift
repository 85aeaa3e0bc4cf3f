import BeemedDomain

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A command as it was called: its arguments, the environment, its settings and its data folder.
struct Invocation {
    let arguments: Arguments
    let environment: [String: String]
    let settings: Settings

    /// How right the settings must be for a command.
    enum Need {
        /// It runs a relay.
        case start
        /// It looks for a relay, whatever is in `config.json`.
        case look
        /// It uses none.
        case nothing
    }

    /// - Throws: `Failure` that lists all mistakes in the settings.
    init(
        _ arguments: Arguments, _ environment: [String: String], needing need: Need
    ) throws(Failure) {
        self.arguments = arguments
        self.environment = environment
        let isUsed = need != .nothing
        settings = try Settings(
            arguments,
            environment: isUsed ? environment : environment.filter { $0.key == "HOME" },
            isStrict: need == .start)
    }

    private init(_ invocation: Invocation, _ settings: Settings) {
        (arguments, environment) = (invocation.arguments, invocation.environment)
        self.settings = settings
    }

    /// The same with the settings of that folder: they are in its `config.json`.
    func at(_ place: DataPlace) throws(Failure) -> Invocation {
        guard place.folder != settings.data else { return self }
        return Invocation(
            self,
            try Settings(
                arguments, environment: environment, isStrict: false, standardData: place.folder))
    }

    /// Whether JSON is asked for.
    var wantsJSON: Bool { arguments.has("json") }

    /// The data folder that is meant. Says on standard error when it is not the default one.
    ///
    /// - Parameter mayBeDemo: whether a demo's folder may be meant when none is named.
    func place(mayBeDemo: Bool = true) -> DataPlace {
        let place = DataPlace(settings, environment, mayBeDemo: mayBeDemo)
        if let note = place.note { Console.error("beemed-relay: this is about \(note)") }
        return place
    }

    /// Prints an answer of the relay: as it is when JSON is asked for, else as text.
    ///
    /// - Parameter show: prints the decoded answer.
    func print<Value: Decodable>(
        _ answer: Data, as type: Value.Type, _ show: (Value) throws(Failure) -> Void
    ) throws(Failure) -> ExitCode {
        if wantsJSON { answer.print() } else { try show(try answer.decoded(type)) }
        return .ok
    }

    /// Prints a value of this command as JSON, a line.
    func printJSON(_ value: some Encodable) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        ((try? encoder.encode(value)) ?? Data()).print()
    }

    /// The contents of a file that the command names; `-` is standard input.
    func contents(of file: String) throws(Failure) -> Data {
        if file == "-" { return try Invocation.standardInput() }
        do throws(DiskError) {
            return Data(try PrivateFile.contents(ofAny: file))
        } catch { throw Failure(.noInput, "\(file) cannot be read: \(error)") }
    }

    /// All of standard input.
    static func standardInput() throws(Failure) -> Data {
        do throws(DiskError) {
            return Data(try PrivateFile.contents(of: STDIN_FILENO))
        } catch { throw Failure(.noInput, "standard input cannot be read: \(error)") }
    }

    /// The running relay.
    ///
    /// - Throws: `Failure` with exit code 69 when none runs.
    func relay() throws(Failure) -> RunningRelay {
        try RunningRelay.needed(on: place().folder)
    }
}

extension Data {
    /// Prints an answer of the relay as it is, a line.
    func print() {
        Console.output(json: String(decoding: self, as: UTF8.self).trimmed)
    }

    /// Decodes an answer of the relay.
    ///
    /// - Throws: `Failure` when it is not what this version expects.
    func decoded<Value: Decodable>(_ type: Value.Type) throws(Failure) -> Value {
        guard let value = try? JSONDecoder().decode(type, from: self) else {
            throw Failure(
                .software,
                "the relay's answer cannot be read; is it of the version of this command?")
        }
        return value
    }
}
