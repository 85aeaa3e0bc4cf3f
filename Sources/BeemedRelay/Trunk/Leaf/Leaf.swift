package import BeemedDomain
package import RelayHTTP

/// A part that stands on the trunk: its additions and its state. Nothing in the trunk names it.
package struct Leaf: Sendable {
    /// Its lines of the table of routes.
    package var routes: [Route] = []
    /// Its commands, by the headings of the help.
    package var sections: [CommandSection] = []
    /// Reads its files at a start, and returns what makes its state on the loop; nil for no state.
    package var open:
        (
            @Sendable (RelayStore, inout RecoveryReport) throws(Failure)
                -> @Sendable () -> any LeafState
        )?
    /// Removes what the leaf keeps of a user, at a start; nil if that is nothing.
    package var forgetUser: (@Sendable (RelayStore, Log) -> Void)?
    /// Runs the relay in a way of its own; nil when the settings, or the leaf, ask for none.
    package var serve: (@Sendable (RelayStart) throws(Failure) -> ExitCode?)?
    /// The findings of `doctor` about the leaf.
    package var findings: @Sendable (Invocation) -> [DoctorFinding] = { _ in [] }
    /// The report of `journal verify` on a store that is not a folder; nil if the leaf knows none.
    package var inspect: (@Sendable (Invocation, StoreLocation) throws(Failure) -> Recovered?)?

    /// A part that adds nothing yet.
    package init() {}
}

/// Commands under a heading of the help. Commands of one heading stand together.
package struct CommandSection: Sendable {
    /// The heading.
    package let title: String
    /// In the order in which they are shown.
    package let commands: [ProgramCommand]

    /// Commands under a heading.
    package init(_ title: String, _ commands: [ProgramCommand]) {
        (self.title, self.commands) = (title, commands)
    }
}

/// The start of a relay: what is known before its journal is opened.
package struct RelayStart: Sendable {
    /// The command, with the settings and all that stands on the trunk.
    package let invocation: Invocation
    /// Its locked data folder.
    package let folder: RelayFolder
    /// The account that overrides the saved one; nil for the saved one.
    package let account: Account?
    /// Its address, which is taken.
    package let port: OpenPort

    /// A start with these parts.
    package init(
        _ invocation: Invocation, _ folder: RelayFolder, _ account: Account?, on port: OpenPort
    ) {
        (self.invocation, self.folder, self.account) = (invocation, folder, account)
        self.port = port
    }
}

/// The result of one of the doctor's checks.
package struct DoctorFinding: Codable, Sendable {
    /// The state of the checked thing.
    package enum State: String, Codable, Sendable {
        case ok, warning, problem
    }

    /// The checked thing, a word or two.
    package var name: String
    /// The state of the checked thing.
    package var state: State
    /// The finding.
    package var detail: String
    /// The next step of the user; nil when nothing need be done.
    package var next: String?

    /// A finding with its next step.
    package init(name: String, state: State, detail: String, next: String? = nil) {
        (self.name, self.state, self.detail, self.next) = (name, state, detail, next)
    }

    /// Nothing need be done.
    package static func ok(_ name: String, _ detail: String) -> DoctorFinding {
        DoctorFinding(name: name, state: .ok, detail: detail)
    }

    /// Somebody should know; `next` is nil if the detail names the next step.
    package static func warning(_ name: String, _ detail: String, next: String?) -> DoctorFinding {
        DoctorFinding(name: name, state: .warning, detail: detail, next: next)
    }

    /// Something must be done; `next` is nil if the detail names the next step.
    package static func problem(_ name: String, _ detail: String, next: String?) -> DoctorFinding {
        DoctorFinding(name: name, state: .problem, detail: detail, next: next)
    }
}
