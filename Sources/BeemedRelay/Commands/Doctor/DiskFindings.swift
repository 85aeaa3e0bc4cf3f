import BeemedDomain
import Libc
import RelayHTTP
import RelayTrunk

/// The doctor's findings about the data folder: its disk, and the access rights.
struct DiskFindings {
    let folder: String

    /// Below this, in bytes, there is too little room for years.
    private static let little: UInt64 = 256 << 20
    /// Below this, in bytes, no press is accepted.
    private static let none: UInt64 = 16 << 20

    var all: [DoctorFinding] {
        guard PrivateFile.exists(folder) else {
            if let obstacle = DataFolder.obstacle(toMaking: folder) {
                return [
                    .problem(
                        "data folder", "\(folder) cannot be made: you may not write to \(obstacle)",
                        next: "choose another folder with --data, or run this as another user")
                ]
            }
            return [
                .warning(
                    "data folder", "\(folder) does not exist yet",
                    next: "the first 'beemed-relay serve' makes it")
            ]
        }
        return permissions + [ownerToken, room, kind(among: mounts), syncTime].compactMap { $0 }
    }

    /// A start is refused if the owner's token is damaged.
    private var ownerToken: DoctorFinding? {
        do throws(Failure) {
            _ = try RelayStore(folder: folder).savedOwnerToken()
            return nil
        } catch {
            return .problem("owner's token", error.message, next: "repair it, or move it away")
        }
    }

    private var permissions: [DoctorFinding] {
        if let words = RelayFolder.foreignUse(of: folder) {
            return [
                .problem("data folder", words, next: "name a folder of its own with --data")
            ]
        }
        var findings = FolderOwner.startBlockers(at: folder).map { words in
            DoctorFinding.problem(
                "permissions", words,
                next: "run the relay as the folder's owner, or give the folder to its user: "
                    + "chown -R USER \(folder.inShellQuotes) && chmod 700 \(folder.inShellQuotes)")
        }
        if DataFolder.isOpenToOthers(folder) {
            findings.append(
                .warning(
                    "permissions", "others on this machine may look into \(folder)",
                    next: "chmod 700 \(folder.inShellQuotes)"))
        }
        guard findings.isEmpty else { return findings }
        let isOurs = FolderOwner.of(folder) == FolderOwner.user
        let words =
            isOurs ? "\(folder) is yours alone" : "only the relay's user may look into \(folder)"
        return [.ok("permissions", words)]
    }

    var room: DoctorFinding {
        var state = statvfs()
        guard unsafe statvfs(folder, &state) == 0 else {
            return .problem(
                "disk space", "it cannot be read: \(DiskError("statvfs", code: errno))",
                next: "look at the disk with 'df \(folder)'")
        }
        return DiskFindings.room(UInt64(state.f_bavail) * UInt64(state.f_frsize))
    }

    /// Whether so many bytes are enough.
    static func room(_ free: UInt64) -> DoctorFinding {
        let words = "\(free >> 20) MiB are free"
        if free < DiskFindings.none {
            return .problem(
                "disk space", "\(words): no press is accepted", next: "remove what is not needed")
        }
        if free < DiskFindings.little {
            return .warning(
                "disk space", "\(words), which is little for years",
                next: "make room, or move the data folder with --data")
        }
        return .ok("disk space", words)
    }

    private static let memory = "it is memory: everything is gone when the machine stops"
    private static let network = "a lock or a sync over the network may be refused or lost"
    /// File systems on which a sync promises less than on a disk.
    private static let kinds = [
        "tmpfs": memory, "ramfs": memory, "nfs": network, "nfs4": network, "cifs": network,
        "smb3": network, "9p": network,
        "overlay": "in a container it goes with the container, unless it is a volume",
        "vfat": "a power cut can damage it, and it keeps no permissions",
        "exfat": "a power cut can damage it, and it keeps no permissions",
    ]

    func kind(among mounts: String?) -> DoctorFinding {
        guard let name = fileSystem(among: mounts) else {
            return .ok("disk", "of what kind is not known here")
        }
        guard let why = DiskFindings.kinds[name] else { return .ok("disk", "it is \(name)") }
        return .warning(
            "disk", "\(folder) is on \(name): \(why)",
            next: "put the data folder on a disk of this machine with --data")
    }

    /// The kernel's list of mounted file systems (proc(5), `mountinfo`); nil where there is none.
    private var mounts: String? { PrivateFile.textIfReadable("/proc/self/mountinfo") }

    /// The kind of the file system: of the mounts above the folder the deepest, and of these the
    /// last.
    private func fileSystem(among mounts: String?) -> String? {
        guard let mounts else { return nil }
        let path = (PrivateFile.realPath(folder) ?? folder) + "/"
        var best: (mount: String, kind: String)?
        for line in mounts.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count > 5, let dash = words.firstIndex(of: "-"), dash + 1 < words.count
            else { continue }
            var mount = words[4].replacing("\\040", with: " ")
            if !mount.hasSuffix("/") { mount += "/" }
            if path.hasPrefix(mount), mount.count >= best?.mount.count ?? 0 {
                best = (String(mount), String(words[dash + 1]))
            }
        }
        return best?.kind
    }

    /// The time of a small write with its sync, five times; nil when the folder may not be written.
    private var syncTime: DoctorFinding? {
        guard unsafe access(folder, W_OK) == 0 else { return nil }
        let path = "\(folder)/doctor-\(UInt64.random(in: 0 ... .max))"
        var longest = 0.0
        for _ in 0..<5 {
            do throws(DiskError) {
                defer { unsafe _ = unlink(path) }
                let start = Instant.now
                try PrivateFile.write(Array(repeating: 0x78, count: 512), to: path)
                longest = max(longest, Double(Instant.now.nanoseconds - start.nanoseconds) / 1e6)
            } catch {
                return .problem(
                    "disk sync", "a file cannot be written: \(error)",
                    next: "look at the system's log; the disk may be failing, or be read-only")
            }
        }
        return DiskFindings.syncTime(longest)
    }

    /// Whether a write that took so many milliseconds is quick enough.
    static func syncTime(_ longest: Double) -> DoctorFinding {
        let words = "a write with its sync took \(Int(longest.rounded(.up))) ms at most"
        guard longest < 1_000 else {
            return .warning(
                "disk sync", "\(words): devices wait that long",
                next: "use another disk; a worn SD card behaves like this")
        }
        return .ok("disk sync", words)
    }
}

extension PrivateFile {
    /// Whether there is something of that name, by way of links, as far as this user can see.
    static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }
}

/// The user who owns a data folder, and so the one as whom a relay runs on it.
enum FolderOwner {
    static var user: UInt32 { UInt32(geteuid()) }

    /// The user's id; nil when there is no such folder.
    static func of(_ folder: String) -> UInt32? {
        var status = stat()
        return unsafe stat(folder, &status) == 0 ? UInt32(status.st_uid) : nil
    }

    /// Why a start on this folder would be refused or could not write, one sentence each. For root,
    /// and while a relay runs on it, a start is one by the folder's owner: the service's user is
    /// another one than that of the command.
    static func startBlockers(at folder: String, user: UInt32 = FolderOwner.user) -> [String] {
        // Its rights are those that its other files need.
        if let words = RelayFolder.foreignUse(of: folder) {
            return ["a start would be refused: \(words)"]
        }
        let isOwners = user == 0 || DataFolder.holder(of: folder) != nil
        return DataFolder.startBlockers(at: folder, by: isOwners ? of(folder) ?? user : user)
    }
}
