import BeemedDomain
import RelayHTTP
import RelayTrunk
import Synchronization

/// The doctor's findings about the way to Beeminder: reachability, the token, the clock.
struct UpstreamFindings {
    let settings: Settings
    let account: Account?
    /// The running relay's statement on its account; nil when none runs.
    var tokenOfRelay: DoctorFinding?
    /// Whether NTP keeps this machine's clock; nil when that cannot be read.
    var isClockKept = ClockDiscipline.isSynchronized

    /// Asks Beeminder once. Without an account nothing secret is sent: the answer shows all the
    /// same whether it is Beeminder that answers.
    func all() throws(Failure) -> [DoctorFinding] {
        let client = try BeeminderClient(
            base: settings.beeminderURL, account: nil, wallClock: SystemClock.wall)
        let heard = Mutex<Int64?>(nil)
        client.onTime { time in
            heard.withLock { $0 = SystemClock.wall().seconds - time.time.seconds }
        }
        let identity = client.identity(of: account ?? .personalToken("none"))
        return [reach(identity), token(identity), clock(heard.withLock { $0 })]
    }

    private func reach(_ identity: Identity) -> DoctorFinding {
        guard SystemTransport.isAvailable else {
            return .problem(
                "libcurl", TransportFailure.noLibrary.words, next: "install the package libcurl4")
        }
        switch identity {
        case .named, .unnamed, .refused:
            return .ok("Beeminder", "\(settings.beeminderURL) answers")
        case .faulty(let status):
            return .warning(
                "Beeminder", "\(settings.beeminderURL) answers with status \(status)",
                next: "nothing to do here: Beeminder has a fault; presses are kept and sent again")
        case .unclear(let why):
            return .problem(
                "Beeminder", "\(settings.beeminderURL) does not answer as it should: \(why)",
                next:
                    "look at the network, at DNS and, without a secure connection, at the package "
                    + "ca-certificates, with: curl -sS \(settings.beeminderURL)")
        }
    }

    private func token(_ identity: Identity) -> DoctorFinding {
        if let tokenOfRelay { return tokenOfRelay }
        guard let account else {
            return .problem(
                "token", "no account is connected", next: "run 'beemed-relay connect'")
        }
        if !account.isPlausible {
            return .problem("token", Account.advice, next: "run 'beemed-relay connect'")
        }
        switch identity {
        case .named(let user): return .ok("token", "Beeminder knows it as \(user.name)'s")
        case .unnamed: return .ok("token", "it is taken, by a server that names no user")
        case .refused:
            return .problem(
                "token", "Beeminder does not take it", next: "run 'beemed-relay connect'")
        case .unclear, .faulty:
            return .warning(
                "token", "its user is not verified", next: "see to Beeminder above first")
        }
    }

    /// By this machine's clock minus Beeminder's, in seconds.
    private func clock(_ clockError: Int64?) -> DoctorFinding {
        let keeper = isClockKept == false ? "; NTP does not keep it" : ""
        guard let clockError else {
            return isClockKept == true
                ? .ok("clock", "NTP keeps it")
                : .warning(
                    "clock", "not compared with Beeminder's\(keeper)",
                    next: "run 'timedatectl set-ntp true'")
        }
        guard abs(clockError) <= 120 else {
            let direction = clockError > 0 ? "ahead of" : "behind"
            return .problem(
                "clock", "it is \(abs(clockError)) s \(direction) Beeminder's\(keeper)",
                next: "set it: timedatectl set-ntp true, or date -s")
        }
        return .ok("clock", "it is \(abs(clockError)) s off Beeminder's\(keeper)")
    }
}
