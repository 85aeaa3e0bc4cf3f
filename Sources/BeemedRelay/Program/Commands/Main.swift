import Foundation

/// The program: selects the command and returns its exit code.
@main
enum Main {
    static func main() {
        var arguments = Array(CommandLine.arguments.dropFirst())
        let environment = ProcessInfo.processInfo.environment
        let name = arguments.isEmpty ? "help" : arguments.removeFirst()
        do throws(Failure) {
            exit(try run(name, arguments, environment).rawValue)
        } catch {
            Console.error("beemed-relay: \(error.message)")
            exit(error.code.rawValue)
        }
    }

    private static func run(
        _ name: String, _ arguments: [String], _ environment: [String: String]
    ) throws(Failure) -> ExitCode {
        switch name {
        case "serve": return try ServeCommand(arguments, environment).run()
        case "demo": return try DemoCommand(arguments, environment).run()
        case "simulator": return try SimulatorCommand(arguments).run()
        case "device": return try DeviceCommand(arguments, environment).run()
        case "owner-link": return try OwnerLinkCommand(arguments, environment).run()
        case "journal": return try JournalCommand(arguments, environment).run()
        case "backup": return try BackupCommand(arguments, environment).run()
        case "disconnect": return try DisconnectCommand(arguments, environment).run()
        case "status": return try StatusCommand(arguments, environment).run()
        case "connect": return try ConnectCommand(arguments, environment).run()
        case "version", "--version": Console.output("beemed-relay \(Version.number)")
        case "help", "--help", "-h": Console.output(Usage.program)
        default: throw Failure(.usage, "there is no command '\(name)'\n\(Usage.program)")
        }
        return .ok
    }
}

/// The program's version.
enum Version {
    static let number = "0.1.0"
}
