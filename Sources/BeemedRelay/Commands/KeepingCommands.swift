import BeemedDomain
import Foundation
import RelayTrunk

enum KeepingCommands {
    static let all = [
        CommandSpec(
            "status", "show what runs, which account, how much waits",
            options: [
                CommandOption("--settings", "show every setting, and where it came from"),
                CommandOption("--ready", "only whether presses are accepted, for health checks"),
                .json, .data,
            ], exits: [(.unavailable, "nothing runs, or it is not well")]
        ).runs(StatusCommand.run),
        CommandSpec(
            "doctor", "find what is wrong, and what to do",
            options: [
                .json, .data, Setting.listen.documented, Setting.beeminderURL.documented,
                Setting.store.documented, Setting.storePasswordFile.documented,
            ],
            about: [
                "Looks at the clock, the disk, permissions, the port, the way to Beeminder, the "
                    + "token, the time zone and the last requests of devices that were refused. "
                    + "Each finding names its next step."
            ], exits: [(.dataError, "something must be done")]
        ).runs(DoctorCommand.run),
        CommandSpec(
            "backup DIR", "copy the data folder, also while the relay runs", options: [.data],
            about: [
                "DIR does not exist yet. The copy holds everything that was acknowledged before "
                    + "the command began, and all tokens: nobody else can read it. It says what "
                    + "is in the copy and how to restore it."
            ], examples: ["backup /mnt/usb/beemed-relay"],
            exits: [(.dataError, "the copy is made, and a person should look at what is in it")]
        ).runs(BackupCommand.run),
        CommandSpec(
            "journal verify [DIR]", "say what a journal holds; touches nothing",
            options: [.json, .data, Setting.storePasswordFile.documented],
            about: [
                "Tells what is there, what is damaged and what a start would do. DIR may be the "
                    + "--store of a cluster."
            ], exits: [(.dataError, "a person should look"), (.noInput, "there is no journal")]
        ).runs(needing: .settings, JournalCommand.run),
        CommandSpec(
            "service install", "start the relay with the machine",
            options: serviceOptions + [
                CommandOption("--print", "print the files instead of installing them"), .data,
                Setting.listen.documented,
            ], exclusive: ["system", "user"],
            about: [
                "Makes a service of systemd or launchd and starts it: of this user, or, as root, "
                    + "of the machine. Where Avahi is, its file that announces the relay is "
                    + "installed with a service of the machine."
            ], examples: ["service install", "service install --print"]
        ).runs(needing: .start, UnitCommand.install),
        CommandSpec(
            "service uninstall", "stop and remove the service", options: serviceOptions,
            exclusive: ["system", "user"], about: ["The data folder stays."]
        ).runs(needing: .nothing, UnitCommand.uninstall),
        CommandSpec(
            "service status", "show the service's state", options: serviceOptions + [.json],
            exclusive: ["system", "user"], exits: [(.unavailable, "it is not running")]
        ).runs(needing: .nothing, UnitCommand.status),
    ]

    private static let serviceOptions = [
        CommandOption("--system", "of the machine (the default for root)"),
        CommandOption("--user", "of this user (the default for others)"),
    ]
}

/// `beemed-relay journal verify DIR`: changes nothing, and is safe while a relay runs.
struct JournalCommand: CommandAction {
    let invocation: Invocation

    /// - Returns: `dataError` when the user should check the findings.
    func run() throws(Failure) -> ExitCode {
        let word = invocation.arguments.words.first
        if let word, StoreLocation.isMeant(word) {
            return try verify(try StoreLocation.named(word))
        }
        let folder = if let word { word } else { try invocation.located().data }
        if let parent = JournalCommand.dataFolder(ofJournal: folder) {
            throw Failure(.usage, "name the data folder, not its journal: journal verify \(parent)")
        }
        let store = RelayStore(folder: folder)
        let isUsed = store.isUsed
        let disk: SystemDisk
        do throws(DiskError) {
            disk = try SystemDisk(dataFolder: folder)
        } catch {
            let past = isUsed ? ", though a relay has been at work there" : ""
            throw Failure.noJournal(in: folder, "\(past): \(error)")
        }
        let verifyReport = try LiveReading.report(
            whileWritten: { DataFolder.holder(of: folder) != nil }
        ) {
            Journal.inspect(
                disk, isUsed: isUsed, known: store.storeName(),
                startBlockers: FolderOwner.startBlockers(at: folder))
        }
        var sentences = verifyReport.sentences
        if let holder = DataFolder.holder(of: folder) {
            let process = holder.split(separator: "\n").first.map { " (process \($0))" } ?? ""
            sentences.append("a relay\(process) is at work on it, so it may change meanwhile")
        }
        return tell(sentences, of: ["folder": folder], isAlarm: verifyReport.isAlarm)
    }

    private func tell(
        _ findings: [String], of source: [String: any Encodable], isAlarm: Bool
    ) -> ExitCode {
        if invocation.wantsJSON {
            let members: [String: any Encodable] = ["alarm": isAlarm, "findings": findings]
            Console.json(members.merging(source) { $1 })
        } else {
            for sentence in findings { Console.output(sentence) }
        }
        return isAlarm ? .dataError : .ok
    }

    /// The data folder, if its folder `journal` is named in its place.
    private static func dataFolder(ofJournal path: String) -> String? {
        let folder = URL(fileURLWithPath: path)
        guard folder.lastPathComponent == StoredFile.Folder.journal.rawValue else { return nil }
        let parent = folder.deletingLastPathComponent().path
        return RelayStore(folder: parent).isUsed ? parent : nil
    }

    /// The journal of a cluster, also while a relay leads it.
    private func verify(_ location: StoreLocation) throws(Failure) -> ExitCode {
        var found: Recovered?
        for leaf in invocation.leaves where found == nil {
            found = try leaf.inspect?(invocation, location)
        }
        guard let found else {
            throw Failure(
                .noInput, "there is no journal '\(location.name)' in etcd, or etcd does not answer")
        }
        return tell(
            found.sentences, of: ["store": location.name], isAlarm: found.recoveryReport.isDamage)
    }
}

/// `beemed-relay backup DIR`: a consistent copy of the data folder.
struct BackupCommand: CommandAction {
    private let target: String
    private let data: String

    /// The ends of names that promise a file.
    private static let archives = [".tar", ".gz", ".tgz", ".xz", ".zst", ".bz2", ".zip"]

    init(invocation: Invocation) {
        var target = invocation.arguments.words[0]
        while target.count > 1, target.hasSuffix("/") { target.removeLast() }
        self.target = target
        data = invocation.settings.data
    }

    /// - Returns: `dataError` when the copy is complete and the user should check its content.
    func run() throws(Failure) -> ExitCode {
        guard !DataFolder.isClosedToUs(data) else { throw .closed(data) }
        guard !isInData else {
            throw Failure(
                .usage,
                "\(target) is in the data folder \(data) itself; name a place elsewhere, best on "
                    + "another disk, as in: beemed-relay backup /mnt/usb/beemed-relay")
        }
        guard !BackupCommand.archives.contains(where: target.hasSuffix) else {
            // Tokens are in the archive, too.
            throw Failure(
                .usage,
                "name a folder; an archive is made of it by: (umask 077; tar cf FILE.tar -C DIR .)")
        }
        guard !PrivateFile.exists(target) else {
            throw Failure(.usage, "\(target) exists; name a place that does not")
        }
        let verifyReport = try Backup(of: data, to: target).make()
        Console.output("\(target) is a copy of \(data), with all tokens: keep it safe")
        for sentence in verifyReport.contents + verifyReport.pastDamage {
            Console.output(sentence)
        }
        Console.output(restoring)
        let isWhole =
            verifyReport.recoveryReport?.isDamage == false && verifyReport.pastDamage.isEmpty
        return isWhole ? .ok : .dataError
    }

    /// Whether a copy there would be a part of what is copied, by whatever name it is called.
    private var isInData: Bool {
        let parent = target.lastIndex(of: "/").map { String(target[...$0]) } ?? "."
        guard let real = PrivateFile.realPath(target) ?? PrivateFile.realPath(parent),
            let folder = PrivateFile.realPath(data)
        else { return false }
        return "\(real)/".hasPrefix(folder == "/" ? folder : "\(folder)/")
    }

    /// How to restore the copy. The data folder itself stays, with what is in it moved away: a
    /// volume that is mounted there can be neither moved nor replaced.
    private var restoring: String {
        // The data folder of a service is a link, and what it leads to must be filled.
        let data = PrivateFile.realPath(data) ?? data
        // A file system's own folder stays in the data folder.
        let place = data.inShellQuotes
        let isEmpty = "test -z \"$(ls -A \(place) | grep -vx lost+found)\""
        return "to restore it, stop the relay, move all that is in \(data) to another place, and "
            + "run: mkdir -p -m 700 \(place) && \(isEmpty) && "
            + "cp -a \("\(target)/.".inShellQuotes) \(place)"
    }
}
