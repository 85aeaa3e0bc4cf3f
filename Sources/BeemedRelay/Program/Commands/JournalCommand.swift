import BeemedDomain

/// `beemed-relay journal verify DIR`: what is there, what is damaged, what a start would do. It
/// touches nothing, and a relay that runs on the folder does not mind.
struct JournalCommand {
    private let arguments: Arguments
    private let settings: Settings

    init(_ arguments: [String], _ environment: [String: String]) throws(Failure) {
        self.arguments = try Arguments(arguments, valued: ["data"], plain: ["help"])
        settings = try Settings(self.arguments, environment: environment)
    }

    /// - Returns: `dataError` when a person should look at what was found.
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
        let disk: SystemDisk
        do throws(DiskError) {
            disk = try SystemDisk(dataFolder: folder)
        } catch {
            throw Failure(.noInput, "\(folder) holds no journal: \(error)")
        }
        let inspection = Journal.inspect(disk)
        for sentence in inspection.sentences { Console.output(sentence) }
        return inspection.isAlarm ? .dataError : .ok
    }
}
