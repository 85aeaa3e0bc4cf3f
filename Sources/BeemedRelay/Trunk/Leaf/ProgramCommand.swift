package import BeemedDomain

/// A command: what its line may be, and what it does.
package struct ProgramCommand: Sendable {
    /// Does it, and returns the program's exit code.
    package typealias Action = @Sendable (Invocation) throws(Failure) -> ExitCode

    /// Its words, options and help.
    package let spec: CommandSpec
    /// How right the settings must be.
    package let need: Invocation.Need
    /// Runs it.
    package let action: Action
}

/// A type of which commands are methods.
package protocol CommandAction: SendableMetatype {
    init(invocation: Invocation) throws(Failure)
}

extension CommandSpec {
    /// A command that does this.
    package func runs(
        needing need: Invocation.Need = .look, _ action: @escaping ProgramCommand.Action
    ) -> ProgramCommand {
        ProgramCommand(spec: self, need: need, action: action)
    }

    /// A command that is a method, as in `StatusCommand.run`.
    package func runs<Action: CommandAction>(
        needing need: Invocation.Need = .look,
        _ method: @escaping @Sendable (Action) -> () throws(Failure) -> ExitCode
    ) -> ProgramCommand {
        runs(needing: need) { (invocation) throws(Failure) in
            try method(try Action(invocation: invocation))()
        }
    }

    /// A command that is one request to the running relay, with `--json` as the relay answers. Its
    /// path has the placeholders of operands, as in `/presets/{NAME}`.
    package func asks(
        _ method: String, _ path: String, inQuery: Bool = false,
        show: @escaping @Sendable (RelayAnswer, Arguments) -> Void
    ) -> ProgramCommand {
        runs { (invocation) throws(Failure) in
            let answer = try invocation.ask(method, path, inQuery: inQuery)
            return invocation.show(answer) { show($0, invocation.arguments) }
        }
    }
}

extension Invocation {
    /// Asks the running relay, as the owner: with operands in the path, and with all others,
    /// options and further members in the body or in the query.
    package func ask(
        _ method: String, _ path: String, inQuery: Bool = false,
        _ further: [String: JSONTree] = [:], at relay: RunningRelay? = nil
    ) throws(Failure) -> RelayAnswer {
        var path = path
        var members = arguments.members.merging(further) { _, new in new }
        for (name, value) in arguments.members where path.contains("{\(name.uppercased())}") {
            let word = RelayAnswer(value).text.asPathSegment
            path = path.replacing("{\(name.uppercased())}", with: word)
            members[name] = nil
        }
        for name in ["json", "data", "end", "default"] { members[name] = nil }
        let relay = if let relay { relay } else { try self.relay() }
        guard inQuery || ["GET", "DELETE"].contains(method) else {
            return try relay.call(method, path, members)
        }
        let query = members.sorted { $0.key < $1.key }
            .map { "\($0.key)=\(RelayAnswer($0.value).text.asQueryValue)" }.joined(separator: "&")
        return try relay.call(method, query.isEmpty ? path : "\(path)?\(query)")
    }

    /// Prints an answer of the relay: as it is when JSON is asked for, else by `show`.
    package func show(_ answer: RelayAnswer, by show: (RelayAnswer) -> Void) -> ExitCode {
        if wantsJSON { answer.print() } else { show(answer) }
        return .ok
    }
}

extension CommandOption {
    /// The data folder.
    package static let data = Setting.data.documented
    /// Prints the answer as JSON.
    package static let json = CommandOption("--json", "print JSON")
}

extension CommandSpec {
    /// About a list.
    package static let columns =
        "A line of headings, and columns that are aligned with blanks; scripts read --json."
}

extension Setting {
    /// Its option, with the variable and the default in the help.
    package var documented: CommandOption {
        var option = option
        let standard = standard == "none" || option.value == nil ? "" : "default \(standard), "
        option.help += " (\(standard)\(variable))"
        return option
    }
}
