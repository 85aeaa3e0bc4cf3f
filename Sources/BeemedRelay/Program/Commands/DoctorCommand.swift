import BeemedDomain
import RelayHTTP

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// `beemed-relay doctor`: looks at everything that can be wrong, and names the next step.
struct DoctorCommand {
    private struct Health: Decodable {
        var status: String
        var alarms: [String]
    }

    private struct Requests: Decodable {
        struct Entry: Decodable {
            var time: Int64
            var path: String?
            var device: String?
            var code: String?
            var detail: String?
            var headers: [String: String]?

            /// Whether a person made it, at this machine or in a browser, who was told then.
            var isOfPerson: Bool {
                let agent = headers?.first { $0.key.lowercased() == "user-agent" }?.value ?? ""
                return device == Device.owner || agent.hasPrefix("Mozilla/")
            }
        }
        var requests: [Entry]
    }

    private let invocation: Invocation
    private let folder: String

    init(_ invocation: Invocation) throws(Failure) {
        let place = invocation.place()
        folder = place.folder
        self.invocation = try invocation.at(place)
    }

    /// - Returns: 65 when something must be done.
    func run() throws(Failure) -> ExitCode {
        let running = try RunningRelay(data: folder)
        var findings = [relay(running)] + DiskFindings(folder: folder).all
        findings += invocation.settings.warnings.map {
            .problem("settings", $0, next: "correct it; 'beemed-relay help serve' names them")
        }
        findings += ClusterFindings(invocation.settings.cluster).all
        findings.append(zone)
        let (settings, account) = (try settings(running), try account())
        var token: DoctorFinding?
        if let running { token = try self.token(running) }
        findings += try UpstreamFindings(settings, account, tokenOfRelay: token).all
        if let running { findings += try lastErrors(running) }
        show(findings)
        return findings.contains { $0.state == .problem } ? .dataError : .ok
    }

    private func show(_ findings: [DoctorFinding]) {
        guard !invocation.wantsJSON else {
            return invocation.printJSON(["findings": findings])
        }
        for finding in findings {
            let name = finding.name.padded(to: 12)
            let state = finding.state.rawValue.padded(to: 8)
            Console.output("\(state) \(name) \(Console.plain(finding.detail))")
            if let next = finding.next { Console.output("         -> \(Console.plain(next))") }
        }
    }

    /// Whether one runs; if not, whether its port is free.
    private func relay(_ running: RunningRelay?) -> DoctorFinding {
        if let running { return .ok("relay", "it runs, at http://\(running.shown)") }
        let endpoint = invocation.settings.listen
        do throws(ListenError) {
            _ = try OpenPort(endpoint)
        } catch {
            return .problem(
                "port", "no relay runs here, and its address cannot be used: \(error)",
                next: "find who uses it with 'ss -ltnp', or choose another one with --listen")
        }
        return .warning(
            "relay", "none runs on \(folder); its port \(endpoint.port) is free",
            next: DataPlace.isOfService(folder)
                ? "start it with '\(DataPlace.start(on: folder))'"
                : "start it with 'beemed-relay serve', or 'beemed-relay service install'")
    }

    /// The settings of the running relay decide where Beeminder is, unless one is named here.
    private func settings(_ running: RunningRelay?) throws(Failure) -> Settings {
        struct Shown: Decodable {
            var settings: [SettingOrigin]
        }
        var settings = invocation.settings
        guard let running, invocation.arguments["beeminder-url"] == nil else { return settings }
        let shown = try running.call("GET", "/settings").decoded(Shown.self).settings
        let url = shown.first { $0.name == Setting.beeminderURL.name }
        if let url { settings.beeminderURL = url.value }
        return settings
    }

    private func account() throws(Failure) -> Account? {
        let environment = invocation.environment
        if let account = Account(environment: environment) { return account }
        return try RelayStore(folder: folder).accounts.load()?.account
    }

    /// What the running relay knows of its account.
    private func token(_ running: RunningRelay) throws(Failure) -> DoctorFinding {
        struct Connection: Decodable {
            var state: String
            var user: String?
            var verified: Bool?
            var detail: String?
        }
        let known = try running.call("GET", "/connection").decoded(Connection.self)
        switch known.state {
        case "notConnected":
            return .problem("token", "no account is connected", next: "run 'beemed-relay connect'")
        case "signInAgain" where known.detail != nil:
            return .problem(
                "token", known.detail ?? "",
                next: "correct it where it is set, and start the relay again")
        case "signInAgain":
            return .problem(
                "token", "Beeminder does not take it", next: "run 'beemed-relay connect'")
        default:
            if known.verified == true, let user = known.user {
                return .ok("token", "Beeminder knows it as \(user)'s")
            }
            return .warning(
                "token", "its user is not verified", next: "see to Beeminder first")
        }
    }

    private var zone: DoctorFinding {
        let zone = TimeZone.current
        let hours = Double(zone.secondsFromGMT()) / 3_600
        let words = "\(zone.identifier), \(hours.signedText) h from UTC"
        guard ["UTC", "GMT", "Etc/UTC"].contains(zone.identifier) else {
            return .ok("time zone", words)
        }
        return .warning(
            "time zone", "\(words): the log's times are in it; Beeminder's days are not affected",
            next: "if you live elsewhere: timedatectl set-timezone Area/City")
    }

    /// What the running relay complains about, and the last requests that it refused.
    private func lastErrors(_ running: RunningRelay) throws(Failure) -> [DoctorFinding] {
        let health = try running.call("GET", "/healthz", accepting: [200, 503])
            .decoded(Health.self)
        var findings = health.alarms.map(RunningRelay.words).map { alarm in
            health.status == "failing"
                ? DoctorFinding.problem("alarm", alarm, next: nil)
                : DoctorFinding.warning("alarm", alarm, next: nil)
        }
        let refused = try running.call("GET", "/requests").decoded(Requests.self).requests
            .filter { $0.code != nil && !$0.isOfPerson }.prefix(3)
        for entry in refused {
            findings.append(
                .warning(
                    "last refusal",
                    "\(Console.localTime(entry.time)) \(entry.path ?? "?"): \(entry.detail ?? "")",
                    next: "see \(entry.code ?? "it") at http://\(running.shown)/docs"))
        }
        return findings.isEmpty ? [.ok("last errors", "none")] : findings
    }
}
