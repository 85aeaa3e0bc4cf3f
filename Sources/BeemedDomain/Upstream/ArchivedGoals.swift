#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension DatapointDeletion {
    private struct Goal: Decodable {
        var slug: String?
        var id: String?
    }

    /// Whether its goal, which may have been renamed, is in the list of archived goals (Beeminder
    /// API reference, "Get archived goals for a user"); nil when the answer cannot be read.
    package func isAtGoal(in answer: UpstreamAnswer) -> Bool? {
        guard let list = try? JSONDecoder().decode([Goal].self, from: Data(answer.body)) else {
            return nil
        }
        return list.contains { $0.slug == goal.description || goalID != nil && $0.id == goalID }
    }
}
