@testable import BeemedDomain

extension GoalSlug {
    static func known(_ text: String) -> GoalSlug {
        guard let slug = GoalSlug(text) else { preconditionFailure("no slug: \(text)") }
        return slug
    }
}

extension DeviceName {
    static func known(_ text: String) -> DeviceName {
        guard let name = DeviceName(text) else { preconditionFailure("no device: \(text)") }
        return name
    }
}
