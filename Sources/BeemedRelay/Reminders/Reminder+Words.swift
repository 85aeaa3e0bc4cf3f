import BeemedDomain
import RelayTrunk

/// A reminder as services show it.
extension Reminder {
    /// As JSON, for services without a protocol of their own.
    func json(isWithdrawn: Bool) -> [UInt8] {
        JSONWriter.object { json in
            json.add("id", id)
            topic.write(to: &json)
            if topic.kind != .test { json.add("day", day.dashed) }
            json.add("title", words.title)
            json.add("message", words.text)
            json.add("urgent", topic.isUrgent)
            if let minutesLeft { json.add("minutesLeft", minutesLeft) }
            if let due { json.add("due", due) }
            json.add("waiting", Int64(waiting))
            if !adds { json.add("adds", false) }
            if let link { json.add("url", link) }
            json.add("withdrawn", isWithdrawn)
        }
    }

    /// Title and text. Names of goals and devices are ASCII, and so is all of it: some services
    /// take the title in a header field.
    var words: (title: String, text: String) {
        let name = topic.subject ?? ""
        let left = minutesLeft.map { ($0 * 60).inWords } ?? "soon"
        let money = pledge.flatMap { $0 > 0 ? ", $\($0.shortText) at stake" : nil } ?? ""
        let presses = waiting == 1 ? "1 press waits" : "\(waiting) presses wait"
        let what = isLimit ? "limit \(due ?? "near")" : "\(due ?? "data") due"
        let waits =
            waiting == 0 || isLimit ? "" : " \(presses) here and may not be enough."
        switch topic.kind {
        case .due: return ("\(name): \(what)", "It derails in \(left)\(money).\(waits)")
        case .lastCall:
            return ("\(name) derails in \(left)", "Last call: \(what)\(money).\(waits)")
        case .stuck:
            let derails =
                (minutesLeft ?? 0) < 0 ? "It has derailed" : "It derails in \(left)"
            return ("\(name): \(presses) for Beeminder", "\(derails)\(money), and \(cause)")
        case .refused where waiting > 0:
            return (
                "\(name): \(presses) for Beeminder",
                "\(why ?? "Beeminder does not take them"). Restore the goal, or send them to "
                    + "another one on the relay's page."
            )
        case .refused:
            let reason = why.map { ": \($0)" } ?? ""
            return (
                "\(name): Beeminder refused a press",
                "It does not count\(reason). Repair, retry or discard it on the relay's page."
            )
        case .signIn:
            return (
                "Sign in to Beeminder again",
                "Beeminder refuses the relay's token. Presses are kept and wait until you connect "
                    + "the account again on the relay's page."
            )
        case .quietDevice:
            return (
                "\(name) is silent",
                "Nothing has come from it for \(silentHours ?? 0) hours. Is its battery empty?"
            )
        case .test:
            return (
                "Reminders work",
                "This is a test of your relay. What it has to say about your goals comes here."
            )
        }
    }

    /// Why presses wait, and what to do. A person who does not wait takes them back first: without
    /// that two datapoints would be there later.
    private var cause: String {
        let why =
            mustSignIn
            ? "Beeminder refuses the relay's token, or it is another user's. Connect the account "
                + "again on the relay's page"
            : "Beeminder cannot be reached from the relay. Check the network"
        return "\(why), or take back on the relay's page what waits, and then log it at "
            + "beeminder.com."
    }
}
