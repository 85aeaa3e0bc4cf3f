import BeemedDomain
import Foundation

/// The data folder that a command is about.
///
/// Without `--data` and `BEEMED_DATA` it is the default folder, unless no relay runs there and the
/// user probably means another one: that of a demo that runs, or of the machine's service, which
/// may be stopped.
package struct DataFolderLocator: Sendable {
    /// Its path.
    package private(set) var folder: String
    private(set) var note: String?

    /// The data folder of a service of the machine.
    package static let ofService = "/var/lib/beemed-relay"

    /// The name of that service's unit, without `.service`.
    package static let unit = "beemed-relay"

    /// Whether a folder is that of a service of the machine, by whatever path.
    package static func isOfService(_ folder: String) -> Bool {
        let path = URL(fileURLWithPath: folder).path
        let privatePath = "/var/lib/private/beemed-relay"  // Of a dynamic user (systemd.exec(5)).
        return [ofService, privatePath].contains(path)
    }

    /// The command that starts a relay on a folder.
    package static func start(on folder: String) -> String {
        isOfService(folder) ? "systemctl start \(DataFolderLocator.unit)" : "beemed-relay serve"
    }

    /// A link beside the default data folder, to the data folder of a running demo.
    static func demoLink(_ environment: [String: String]) -> String {
        Settings.defaultData(environment) + "-demo"
    }

    /// The folder for these settings; where none is named, perhaps that of a demo that runs.
    init(
        _ settings: Settings, _ environment: [String: String], mayBeDemo: Bool = true,
        service: String = DataFolderLocator.ofService
    ) {
        (folder, note) = (settings.data, nil)
        guard settings.origins.first?.from == .default, !DataFolderLocator.isRunning(folder) else {
            return
        }
        let isUsed = RelayStore(folder: folder).isUsed
        let demo = try? FileManager.default.destinationOfSymbolicLink(
            atPath: DataFolderLocator.demoLink(environment))
        if mayBeDemo, let demo, DataFolderLocator.isRunning(demo), !isUsed {
            (folder, note) = (demo, "the demo's data folder \(demo)")
        } else if DataFolderLocator.isRunning(service)
            // As another user one cannot see it, and nobody else makes that folder.
            || !isUsed && (RelayStore(folder: service).isUsed || DataFolder.isClosedToUs(service))
        {
            (folder, note) = (service, "the service's data folder \(service)")
        }
    }

    private static func isRunning(_ folder: String) -> Bool { DataFolder.holder(of: folder) != nil }

    /// Makes the link, so that commands find the demo. Without one they need `--data`.
    package static func link(demo folder: String, _ environment: [String: String]) {
        let link = demoLink(environment)
        unlink(demo: nil, environment)
        let parent = URL(fileURLWithPath: link).deletingLastPathComponent().path
        try? FileManager.default.createDirectory(
            atPath: parent, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        let absolute = URL(fileURLWithPath: folder).path
        try? FileManager.default.createSymbolicLink(
            atPath: link, withDestinationPath: absolute)
    }

    /// Removes the link if it leads to this folder; nil for any folder. Anything else of that name
    /// stays.
    package static func unlink(demo folder: String?, _ environment: [String: String]) {
        let link = demoLink(environment)
        guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: link),
            folder.map({ URL(fileURLWithPath: $0).path == target }) ?? true
        else { return }
        try? FileManager.default.removeItem(atPath: link)
    }
}
