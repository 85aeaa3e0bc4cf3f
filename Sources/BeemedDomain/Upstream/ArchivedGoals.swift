extension DatapointDeletion {
    /// Whether its goal, which may have been renamed, is in the list of archived goals (Beeminder
    /// API reference, "Get archived goals for a user"): then the goal may have the datapoint. Nil
    /// when the answer cannot be read.
    package func isAtGoal(in answer: UpstreamAnswer) -> Bool? {
        JSONTree(answer.body)?.elements?.contains(where: isGoal)
    }

    /// Whether an answer that describes the goal of that name is about another goal than the one
    /// that has the datapoint: the name may belong to that one by now.
    package func isAnotherGoal(in answer: UpstreamAnswer) -> Bool {
        guard let id = JSONTree(answer.body)?["id"]?.text, let goalID else { return false }
        return id != goalID
    }

    private func isGoal(_ listed: JSONTree) -> Bool {
        if goalID != nil, listed["id"]?.text == goalID { return true }
        return !isNameTaken && listed["slug"]?.text == goal.description
    }
}
