import BeemedDomain

/// `beemed-relay journal verify DIR`: reports content, damage and the effect of a start. It changes
/// nothing, and is safe while a relay runs on the folder.
struct JournalCommand {
    private let arguments: Arguments
    private let settings: Settings

    init(_ arguments: [String], _ environment: [String: String]) throws(Failure) {
        self.arguments = try Arguments(arguments, valued: ["data"], plain: ["help"])
        settings = try Settings(self.arguments, environment: environment)
    }

    /// - Returns: `dataError` when the user should check the findings.
    func run() throws(Failure) -> ExitCode {
        guard !arguments.has("help") else {
            Console.output(Usage.journal)
            return .ok
        }
        let words = arguments.words
        guard words.first == "verify", words.count <= 2 else {
            throw Failure(.usage, "'journal' needs 'verify'\n\(Usage.journal)")
        }
        let folder = words.count == 2 ? words[1] : settings.data
        let store = RelayStore(folder: folder)
        let isUsed = store.isUsed
        let disk: SystemDisk
        do throws(DiskError) {
            disk = try SystemDisk(dataFolder: folder)
        } catch {
            let past = isUsed ? ", though a relay has been at work there" : ""
            throw Failure(.noInput, "\(folder) holds no journal\(past): \(error)")
        }
        let verifyReport = Journal.inspect(
            disk, isUsed: isUsed, known: store.storeName(),
            startBlockers: DataFolder.startBlockers(at: folder))
        for sentence in verifyReport.sentences { Console.output(sentence) }
        if let holder = DataFolder.holder(of: folder) {
            let process = holder.split(separator: "\n").first.map { " (process \($0))" } ?? ""
            Console.output("a relay\(process) is at work on it, so it may change meanwhile")
        }
        return verifyReport.isAlarm ? .dataError : .ok
    }
}
