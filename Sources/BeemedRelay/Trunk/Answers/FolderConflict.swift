import BeemedDomain

/// Why a token is not used: it is another user's than the data folder. A person decides.
struct FolderConflict: Sendable {
    /// The user to whom the folder belongs.
    var owner: String
    /// The token's user.
    var other: String
    /// The presses of the folder's user that wait or are refused.
    var unsettled: Int
    /// Whether an import or health data is being taken.
    var isBusy: Bool

    /// Whether the token's user may have the folder.
    var mayTakeOver: Bool { unsettled == 0 && !isBusy }

    /// For the user, with the next step.
    var words: String {
        let folder = "this folder is \(owner)'s, and the token is \(other)'s"
        let elsewhere = "or use another --data for \(other)"
        if unsettled > 0 {
            let presses =
                unsettled == 1
                ? "1 press waits or is refused" : "\(unsettled) presses wait or are refused"
            return "\(folder); \(presses): take them back (events undo ID), connect \(owner)'s "
                + "token again, \(elsewhere)"
        }
        if isBusy { return "\(folder); an import or health data is being taken: try again later" }
        return "\(folder): connect \(other)'s token again to begin anew here, \(elsewhere)"
    }

    /// For strangers, who do not learn whose it is.
    static let unnamed =
        "the token is another user's than this folder, so nothing is sent; GET /connection says "
        + "what to do"
}
