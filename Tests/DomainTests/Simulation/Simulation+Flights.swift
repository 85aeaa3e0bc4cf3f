@testable import BeemedDomain

/// What a simulated world has under way.
extension Simulation {
    /// Something on its way back from Beeminder.
    enum Flight: Sendable {
        case datapoint(DatapointBatch, ModelBeeminder.Reply)
        case result(DatapointBatch, BatchResult)
        case deletion(DatapointDeletion, Outcome)
        case goals(GoalAnswer)
    }

    /// Who asked under a reply id, and what.
    struct Request: Sendable {
        var device: Int
        var press: Press
    }
}
