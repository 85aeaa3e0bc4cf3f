import BeemedDomain
import RelayHTTP
import RelayTrunk

/// `beemed-relay doctor`: looks at everything that can be wrong, and names the next step.
struct DoctorCommand: CommandAction {
    let invocation: Invocation
    private var folder: String { invocation.settings.data }

    func run() throws(Failure) -> ExitCode {
        let running = try RunningRelay(data: folder)
        var findings = [relay(running)] + DiskFindings(folder: folder).all
        findings += invocation.settings.warnings.map {
            .problem("settings", $0, next: "correct it; 'beemed-relay help serve' names them")
        }
        findings += invocation.leaves.flatMap { $0.findings(invocation) }
        findings.append(zone)
        let settings = try settings(running)
        let account = try RelayStore(folder: folder).account(.given(in: invocation.environment))
        var token: DoctorFinding?
        if let running { token = try self.token(running) }
        findings += try UpstreamFindings(
            settings: settings, account: account?.account, tokenOfRelay: token
        ).all()
        if let running { findings += try lastErrors(running) }
        show(findings)
        return findings.contains { $0.state == .problem } ? .dataError : .ok
    }

    private func show(_ findings: [DoctorFinding]) {
        guard !invocation.wantsJSON else {
            return Console.json(["findings": findings])
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
            next: DataFolderLocator.isOfService(folder)
                ? "start it with '\(DataFolderLocator.start(on: folder))'"
                : "start it with 'beemed-relay serve', or 'beemed-relay service install'")
    }

    /// The settings of the running relay decide where Beeminder is, unless one is named here.
    private func settings(_ running: RunningRelay?) throws(Failure) -> Settings {
        var settings = invocation.settings
        guard let running, invocation.arguments["beeminder-url"] == nil else { return settings }
        let shown = try running.call("GET", "/settings")["settings"].list
        let url = shown.first { $0["name"].text == Setting.beeminderURL.name }
        if let url { settings.beeminderURL = url["value"].text }
        return settings
    }

    private func token(_ running: RunningRelay) throws(Failure) -> DoctorFinding {
        let known = try running.call("GET", "/connection")
        let fault = known["detail"].words
        switch SyncState(rawValue: known["state"].text) {
        case .notConnected:
            return .problem("token", "no account is connected", next: "run 'beemed-relay connect'")
        case .signInAgain:
            return .problem(
                "token", fault ?? "Beeminder does not take it",
                next: fault == nil
                    ? "run 'beemed-relay connect'"
                    : "correct it where it is set, and start the relay again")
        default:
            if known["verified"].isTrue, let user = known["user"].words {
                return .ok("token", "Beeminder knows it as \(user)'s")
            }
            return .warning("token", "its user is not verified", next: "see to Beeminder first")
        }
    }

    private var zone: DoctorFinding {
        guard Zone(named: "Europe/Berlin") != nil else {
            return .problem(
                "time zone", "this machine has no database of time zones",
                next: "apt install tzdata")
        }
        let here = LocalTime.zone
        let words = "\(here.name), \((Double(here.offset) / 3_600).signedText) h from UTC"
        guard ["UTC", "GMT"].contains(here.name) else { return .ok("time zone", words) }
        return .warning(
            "time zone", "\(words): the log's times are in it; Beeminder's days are not affected",
            next: "if you live elsewhere: timedatectl set-timezone Area/City")
    }

    /// The running relay's complaints, and the last requests that it refused.
    private func lastErrors(_ running: RunningRelay) throws(Failure) -> [DoctorFinding] {
        let health = try running.health()
        let isFailing = health["status"].text == "failing"
        var findings = health["alarms"].list.map { alarm in
            DoctorFinding(
                name: "alarm", state: isFailing ? .problem : .warning,
                detail: RunningRelay.words(alarm.text))
        }
        let refused = try running.call("GET", "/requests")["requests"].list
            .filter { $0["code"].isTrue && !isOfPerson($0) }.prefix(3)
        findings += refused.map { entry in
            .warning(
                "last refusal",
                "\(entry["time"].time) \(entry["path"].words ?? "?"): \(entry["detail"].text)",
                next: "see \(entry["code"].text) at http://\(running.shown)/docs")
        }
        return findings.isEmpty ? [.ok("last errors", "none")] : findings
    }

    /// Whether a person made a request, at this machine or in a browser, who was told then.
    private func isOfPerson(_ entry: RelayAnswer) -> Bool {
        let fields = entry["headers"].tree?.members ?? [:]
        let agent = fields.first { $0.key.lowercased() == "user-agent" }?.value.text ?? ""
        return entry["device"].text == "\(DeviceName.owner)" || agent.hasPrefix("Mozilla/")
    }
}
