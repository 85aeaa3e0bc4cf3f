import RelayHTTP
package import RelayTrunk

extension Leaf {
    /// Reminders of goals and devices, to the services that the user names.
    package static let reminders: Leaf = {
        var leaf = Leaf()
        leaf.routes = [
            Route(.get, "/reminders", .read) { $0.reminders($1, $1.bearer) },
            Route(.put, "/reminders", .manage) { try $0.setReminders($1) },
            Route(.post, "/reminders/services", .manage, .hidesTarget) { try $0.addService($1) },
            Route(.delete, "/reminders/services/{name}", .manage, .hidesTarget) {
                try $0.removeService($1)
            },
            Route(.post, "/reminders/test", .manage) { try $0.testReminders($1) },
            Route(
                .post, "/reminders/snooze", .log, query: ["goal", "hours", "until"]
            ) { try $0.snooze($1, $1.bearer) },
            Route(
                .delete, "/reminders/snooze", .log, query: ["goal"]
            ) { try $0.snooze($1, $1.bearer) },
            Route(.get, "/goals/{goal}/reminder", .read) { try $0.goalReminder($1, $1.bearer) },
            Route(
                .put, "/goals/{goal}/reminder", .manage
            ) { try $0.setGoalReminder($1, $1.bearer) },
            Route(
                .delete, "/goals/{goal}/reminder", .manage
            ) { try $0.setGoalReminder($1, $1.bearer) },
        ]
        leaf.sections = [CommandSection("Reminders", ReminderCommands.all)]
        leaf.open = { (store, report) throws(Failure) in
            let book = try store.book(of: ReminderBook.self, noting: &report)
            let sent = store.saved(.sentReminders, [SentReminder].self) ?? []
            return { ReminderState(book, sent) }
        }
        leaf.forgetUser = { _ = $0.save([SentReminder](), as: .sentReminders, $1) }
        return leaf
    }()
}
