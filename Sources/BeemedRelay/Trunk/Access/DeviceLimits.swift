/// The body of `PATCH /devices/{name}`: what a device may do from now on. A member that is left out
/// stays as it is.
struct DeviceLimits: Decodable {
    let rights: [String]?
    /// The only goals that it may log to; nil inside means all.
    let goals: [String]??
    /// The goal of a press that names none; nil inside means none.
    let goal: String??

    private enum CodingKeys: String, CodingKey {
        case rights = "can"
        case goals, goal
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        rights = try members.decodeIfPresent([String].self, forKey: .rights)
        goals =
            members.contains(.goals)
            ? .some(try members.decodeIfPresent([String].self, forKey: .goals)) : .none
        goal =
            members.contains(.goal)
            ? .some(try members.decodeIfPresent(String.self, forKey: .goal)) : .none
    }
}
