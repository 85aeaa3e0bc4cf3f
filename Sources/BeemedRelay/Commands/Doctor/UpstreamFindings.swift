import BeemedDomain
import RelayHTTP
import RelayTrunk
import Synchronization

/// The doctor's findings about the way to Beeminder: reachability, TLS, the token, the clock.
struct UpstreamFindings {
    private let settings: Settings
    private let account: Account?
    /// The running relay's statement on its account; nil when none runs.
    private let tokenOfRelay: DoctorFinding?
    private let identity: Identity
    /// This machine's clock minus Beeminder's, in seconds; nil without Beeminder's time.
    private let clockError: Int64?
    /// Whether NTP keeps this machine's clock; nil when that cannot be read.
    private let isClockKept: Bool?
    /// Where trusted certificates may be.
    private let rootFiles: [String]

    /// Asks Beeminder once. Without an account nothing secret is sent: the answer shows all the
    /// same whether it is Beeminder that answers.
    ///
    /// - Parameters:
    ///   - tokenOfRelay: what the running relay says about its account.
    ///   - isClockKept: whether NTP keeps this machine's clock; nil when that is not known.
    ///   - rootFiles: where trusted certificates may be.
    /// - Throws: `Failure` when the URL is none.
    init(
        _ settings: Settings, _ account: Account?, tokenOfRelay: DoctorFinding? = nil,
        isClockKept: Bool? = ClockDiscipline.isSynchronized,
        rootFiles: [String] = UpstreamFindings.rootFiles
    ) throws(Failure) {
        self.isClockKept = isClockKept
        self.rootFiles = rootFiles
        self.settings = settings
        self.account = account
        self.tokenOfRelay = tokenOfRelay
        let client = try BeeminderClient(
            base: settings.beeminderURL, account: nil, wallClock: SystemClock.wall)
        let heard = Mutex<Int64?>(nil)
        client.onTime { time in
            heard.withLock { $0 = SystemClock.wall().seconds - time.time.seconds }
        }
        identity = client.identity(of: account ?? .personalToken("none"))
        clockError = heard.withLock { $0 }
    }

    var all: [DoctorFinding] {
        [library, reach, roots].compactMap { $0 } + [token, clock]
    }

    private var library: DoctorFinding? {
        guard !SystemTransport.isAvailable else { return nil }
        return .problem(
            "libcurl", TransportFailure.noLibrary.words, next: "install the package libcurl4")
    }

    private var reach: DoctorFinding? {
        guard SystemTransport.isAvailable else { return nil }
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
                next: "look at the network and at DNS with: curl -sS \(settings.beeminderURL)")
        }
    }

    /// Where systems keep the certificates that they trust.
    static let rootFiles = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
        "/etc/ssl/cert.pem", "/etc/ssl/ca-bundle.pem",
    ]

    private var roots: DoctorFinding? {
        guard settings.beeminderURL.hasPrefix("https:") else { return nil }
        #if canImport(Darwin)
            return nil
        #else
            let found = rootFiles.first { (try? PrivateFile.contents(ofAny: $0)) != nil }
            guard let found else {
                return .problem(
                    "TLS", "no file of trusted certificates was found",
                    next: "install the package ca-certificates")
            }
            return .ok("TLS", "trusted certificates are in \(found)")
        #endif
    }

    private var token: DoctorFinding {
        if let tokenOfRelay { return tokenOfRelay }
        guard let account else {
            return .problem(
                "token", "no account is connected", next: "run 'beemed-relay connect'")
        }
        if let fault = account.fault {
            return .problem("token", fault.advice, next: "run 'beemed-relay connect'")
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

    private var clock: DoctorFinding {
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
