import BeemedDomain
import RelayTrunk

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// `beemed-relay backup TO`: a consistent copy of the data folder.
struct BackupCommand: CommandAction {
    private let arguments: Arguments
    private let data: String

    init(invocation: Invocation) {
        arguments = invocation.arguments
        data = invocation.location().folder
    }

    /// - Returns: `dataError` when the copy is complete and the user should check its content.
    func run() throws(Failure) -> ExitCode {
        var target = arguments.words[0]
        while target.count > 1, target.hasSuffix("/") { target.removeLast() }
        guard !DataFolder.isClosedToUs(data) else { throw .closed(data) }
        guard !isInData(target) else {
            throw Failure(
                .usage,
                "\(target) is in the data folder \(data) itself; name a place elsewhere, best on "
                    + "another disk, as in: beemed-relay backup /mnt/usb/beemed-relay.tar")
        }
        guard !FileManager.default.fileExists(atPath: target) else {
            throw Failure(.usage, "\(target) exists; name a place that does not")
        }
        let verifyReport = try make(target)
        Console.output("\(target) is a copy of \(data), with all tokens: keep it safe")
        for sentence in verifyReport.contents + verifyReport.pastDamage {
            Console.output(sentence)
        }
        Console.output(restoring(target))
        let isWhole =
            verifyReport.recoveryReport?.isDamage == false && verifyReport.pastDamage.isEmpty
        return isWhole ? .ok : .dataError
    }

    /// Whether a copy there would be a part of what is copied, by whatever name it is called.
    private func isInData(_ target: String) -> Bool {
        let parent = target.lastIndex(of: "/").map { String(target[...$0]) } ?? "."
        guard let real = PrivateFile.realPath(target) ?? PrivateFile.realPath(parent),
            let folder = PrivateFile.realPath(data)
        else { return false }
        return "\(real)/".hasPrefix(folder == "/" ? folder : "\(folder)/")
    }

    private func make(_ target: String) throws(Failure) -> VerifyReport {
        if BackupCommand.compressed.contains(where: target.hasSuffix) {
            throw Failure(
                .usage,
                "name a file that ends in .tar, and compress that: a copy is not compressed")
        }
        guard target.hasSuffix(".tar") else {
            return try Backup(of: data, to: target).make()
        }
        // A name that nobody else has given: what is there is not ours to remove.
        let folder = "\(target).\(UInt64.random(in: 0 ... .max)).part"
        let verifyReport = try Backup(of: data, to: folder).make()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        guard let archive = Archive(of: folder, as: BackupCommand.folder) else {
            throw Failure(.ioError, "\(folder) cannot be packed; name a folder to copy to")
        }
        do throws(DiskError) {
            try archive.write(to: target)
        } catch {
            throw Failure(.ioError, "\(target) cannot be written: \(error)")
        }
        return verifyReport
    }

    /// The ends of names that promise a compressed archive.
    private static let compressed = [".gz", ".tgz", ".xz", ".zst", ".bz2", ".zip"]

    /// The folder's name in an archive.
    private static let folder = "beemed-relay-data"

    /// How to restore the copy. The data folder itself stays, with what is in it moved away: a
    /// volume that is mounted there can be neither moved nor replaced.
    private func restoring(_ target: String) -> String {
        // The data folder of a service is a link, and what it leads to must be filled.
        let data = PrivateFile.realPath(data) ?? data
        // A file system's own folder stays in the data folder.
        let isEmpty = "test -z \"$(ls -A '\(data)' | grep -vx lost+found)\""
        let fill =
            target.hasSuffix(".tar")
            ? "tar xf '\(target)' -C '\(data)' --strip-components=1"
            : "cp -a '\(target)/.' '\(data)'"
        return "to restore it, stop the relay, move all that is in \(data) to another place, and "
            + "run: mkdir -p -m 700 '\(data)' && \(isEmpty) && \(fill)"
    }
}
