import RelayTrunk

/// One thing that the doctor has looked at.
struct DoctorFinding: Codable, Sendable {
    /// How it is.
    enum State: String, Codable, Sendable {
        case ok, warning, problem
    }

    /// What was looked at, a word or two.
    var name: String
    var state: State
    /// What was found.
    var detail: String
    /// What to do; nil when nothing need be done.
    var next: String?

    /// Nothing need be done.
    static func ok(_ name: String, _ detail: String) -> DoctorFinding {
        DoctorFinding(name: name, state: .ok, detail: detail)
    }

    /// Somebody should know.
    ///
    /// - Parameter next: nil if the detail names the next step.
    static func warning(_ name: String, _ detail: String, next: String?) -> DoctorFinding {
        DoctorFinding(name: name, state: .warning, detail: detail, next: next)
    }

    /// Something must be done.
    ///
    /// - Parameter next: nil if the detail names the next step.
    static func problem(_ name: String, _ detail: String, next: String?) -> DoctorFinding {
        DoctorFinding(name: name, state: .problem, detail: detail, next: next)
    }
}
