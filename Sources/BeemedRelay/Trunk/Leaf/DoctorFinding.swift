/// One thing that the doctor has looked at.
package struct DoctorFinding: Codable, Sendable {
    /// How it is.
    package enum State: String, Codable, Sendable {
        case ok, warning, problem
    }

    /// What was looked at, a word or two.
    package var name: String
    /// How it is.
    package var state: State
    /// What was found.
    package var detail: String
    /// What to do; nil when nothing need be done.
    package var next: String?

    /// What was found.
    package init(name: String, state: State, detail: String, next: String? = nil) {
        (self.name, self.state, self.detail, self.next) = (name, state, detail, next)
    }

    /// Nothing need be done.
    package static func ok(_ name: String, _ detail: String) -> DoctorFinding {
        DoctorFinding(name: name, state: .ok, detail: detail)
    }

    /// Somebody should know.
    ///
    /// - Parameter next: nil if the detail names the next step.
    package static func warning(_ name: String, _ detail: String, next: String?) -> DoctorFinding {
        DoctorFinding(name: name, state: .warning, detail: detail, next: next)
    }

    /// Something must be done.
    ///
    /// - Parameter next: nil if the detail names the next step.
    package static func problem(_ name: String, _ detail: String, next: String?) -> DoctorFinding {
        DoctorFinding(name: name, state: .problem, detail: detail, next: next)
    }
}
