import BeemedDomain
import Libc

/// A command as it was called: its arguments, the environment, its settings and its data folder.
package struct Invocation: Sendable {
    /// The words and options of the command line.
    package let arguments: Arguments
    /// The environment's variables.
    package let environment: [String: String]
    /// The settings of command line, environment and `config.json`.
    package private(set) var settings: Settings
    /// All that stands on the trunk.
    package let leaves: [Leaf]

    /// How right the settings must be for a command.
    package enum Need {
        /// The command runs a relay.
        case start
        /// The command is about the data folder that is meant, whatever is in its `config.json`.
        case look
        /// The same, but the command finds the folder itself.
        case settings
        /// The command uses no settings.
        case nothing
    }

    /// A command as it was called; fails with all mistakes in the settings.
    package init(
        _ arguments: Arguments, _ environment: [String: String], needing need: Need,
        leaves: [Leaf]
    ) throws(Failure) {
        (self.arguments, self.leaves) = (arguments, leaves)
        self.environment = environment
        let isUsed = need != .nothing
        settings = try Settings(
            arguments,
            environment: isUsed ? environment : environment.filter { $0.key == "HOME" },
            isStrict: need == .start)
        if need == .look { settings = try located() }
    }

    /// The settings of the data folder that is meant: they are in its `config.json`. Says on
    /// standard error when that is not the default folder.
    package func located(mayBeDemo: Bool = true) throws(Failure) -> Settings {
        let location = DataFolderLocator(settings, environment, mayBeDemo: mayBeDemo)
        guard let note = location.note else { return settings }
        Console.notice("this is about \(note)")
        return try Settings(
            arguments, environment: environment, isStrict: false, standardData: location.folder)
    }

    /// Whether JSON is asked for.
    package var wantsJSON: Bool { arguments.has("json") }

    /// The contents of a file that the command names; `-` is standard input.
    package func contents(of file: String) throws(Failure) -> [UInt8] {
        if file == "-" { return try Invocation.standardInput() }
        return try onDisk(
            PrivateFile.contents(ofAny: file), orFail: .noInput, "\(file) cannot be read")
    }

    /// All of standard input.
    package static func standardInput() throws(Failure) -> [UInt8] {
        try onDisk(
            PrivateFile.contents(of: STDIN_FILENO), orFail: .noInput,
            "standard input cannot be read")
    }

    /// The running relay; fails with 69 when none runs.
    package func relay() throws(Failure) -> RunningRelay {
        try RunningRelay.needed(on: settings.data)
    }
}
