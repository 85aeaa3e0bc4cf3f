import Foundation

extension DatapointDeletion {
    private struct Goal: Decodable {
        var slug: String?
        var id: String?
    }

    /// Whether its goal, which may have been renamed, is in the list of archived goals (Beeminder
    /// API reference, "Get archived goals for a user"): then the goal may have the datapoint. Nil
    /// when the answer cannot be read.
    package func isAtGoal(in answer: UpstreamAnswer) -> Bool? {
        guard let list = try? JSONDecoder().decode([Goal].self, from: Data(answer.body)) else {
            return nil
        }
        return list.contains(where: isGoal)
    }

    /// Whether an answer that describes the goal of that name is about another goal than the one
    /// that has the datapoint: the name may belong to that one by now.
    package func isAnotherGoal(in answer: UpstreamAnswer) -> Bool {
        let goal = try? JSONDecoder().decode(Goal.self, from: Data(answer.body))
        guard let id = goal?.id, let goalID else { return false }
        return id != goalID
    }

    private func isGoal(_ listed: Goal) -> Bool {
        if goalID != nil, listed.id == goalID { return true }
        return !isNameTaken && listed.slug == goal.description
    }
}
