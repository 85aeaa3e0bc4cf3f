import Foundation

extension DatapointDeletion {
    private struct Goal: Decodable {
        var slug: String?
        var id: String?
        var recent: [GoalDatapoint]?

        private enum Names: String, CodingKey {
            case slug, id, recent = "recent_data"
        }

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: Names.self)
            slug = try members.decodeIfPresent(String.self, forKey: .slug)
            id = try members.decodeIfPresent(String.self, forKey: .id)
            recent = try? members.decodeIfPresent([GoalDatapoint].self, forKey: .recent)
        }
    }

    /// Whether its goal, which may have been renamed, is in the list of archived goals (Beeminder
    /// API reference, "Get archived goals for a user") and may have the datapoint; nil when the
    /// answer cannot be read.
    package func isAtGoal(in answer: UpstreamAnswer) -> Bool? {
        guard let list = try? JSONDecoder().decode([Goal].self, from: Data(answer.body)) else {
            return nil
        }
        return list.contains { isGoal($0) && mayBe(among: $0.recent ?? []) }
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

    /// Whether a goal with these newest datapoints may have the press: if Beeminder has said that
    /// it had, nothing else counts. Otherwise it cannot if they go further back than the press.
    /// Every goal has a datapoint: with none listed nothing is known.
    private func mayBe(among newest: [GoalDatapoint]) -> Bool {
        if datapoint != nil { return true }
        if newest.contains(where: { $0.requestID == requestID }) {
            return true
        }
        let oldest = newest.map(\.timestamp).min() ?? .max
        return oldest >= at.adding(-DatapointDeletion.slackSeconds).seconds
    }

    /// How far the time of a datapoint may be from that of its press, in seconds: a day.
    private static let slackSeconds: Int64 = 86_400
}
