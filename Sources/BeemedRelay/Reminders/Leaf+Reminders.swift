import RelayHTTP
package import RelayTrunk

extension Leaf {
    /// Reminders of goals and devices, to the services that the user names.
    package static let reminders: Leaf = {
        var leaf = Leaf()
        leaf.routes = [
            Route(.get, "/reminders", .read, handle: ReminderRoutes.list),
            Route(.put, "/reminders", .manage, handle: ReminderRoutes.set),
            Route(
                .post, "/reminders/services", .manage, .hidesTarget,
                handle: ReminderRoutes.addService),
            Route(
                .delete, "/reminders/services/{name}", .manage, .hidesTarget,
                handle: ReminderRoutes.removeService),
            Route(.post, "/reminders/test", .manage, handle: ReminderRoutes.test),
            Route(
                .post, "/reminders/snooze", .log, query: ["goal", "hours", "until"],
                handle: ReminderRoutes.snooze),
            Route(
                .delete, "/reminders/snooze", .log, query: ["goal"], handle: ReminderRoutes.snooze),
            Route(.get, "/goals/{goal}/reminder", .read, handle: ReminderRoutes.lead),
            Route(.put, "/goals/{goal}/reminder", .manage, handle: ReminderRoutes.lead),
            Route(.delete, "/goals/{goal}/reminder", .manage, handle: ReminderRoutes.lead),
        ]
        leaf.sections = [CommandSection("Reminders", ReminderCommands.all)]
        leaf.open = { (store, report) throws(Failure) in
            let book = try store.settings(.reminders, orElse: ReminderBook(), noting: &report)
            let sent = store.saved(.sentReminders, [SentReminder].self) ?? []
            return { ReminderState(book, sent) }
        }
        leaf.forgetUser = { _ = $0.save([SentReminder](), as: .sentReminders, $1) }
        return leaf
    }()
}
