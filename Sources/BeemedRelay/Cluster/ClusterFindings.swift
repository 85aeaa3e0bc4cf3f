import BeemedDomain
import RelayTrunk

/// Finds the faults of a cluster's etcd: members that do not answer, a gateway that is off,
/// authentication, quota, clocks.
struct ClusterFindings {
    let cluster: ClusterSettings

    /// Seconds by which a member's clock may differ.
    private static let skewSeconds: Int64 = 5

    var all: [DoctorFinding] {
        guard let location = cluster.store else { return [] }
        let password: String?
        do throws(Failure) {
            password = try cluster.password()
        } catch {
            return [.problem("etcd", error.message, next: "write the password to that file")]
        }
        var findings: [DoctorFinding] = []
        for member in location.members {
            findings += check(location.only(member), password, named: member)
        }
        if location.members.count < 3 {
            findings.append(
                .warning(
                    "etcd", "--store names \(location.members.count) of its members",
                    next: "name all of at least three: with fewer nothing survives one machine"))
        }
        if location.user != nil, location.members.contains(where: { $0.hasPrefix("http:") }) {
            findings.append(
                .warning(
                    "etcd", "the password of etcd's user is sent without TLS",
                    next: "give etcd certificates, and write etcds:// in --store"))
        }
        return findings
    }

    private func check(
        _ location: StoreLocation, _ password: String?, named member: String
    ) -> [DoctorFinding] {
        let gateway = EtcdGateway(location, password: password, seconds: 3)
        var findings: [DoctorFinding] = []
        do throws(StoreFault) {
            let status = try gateway.maintenance("status")
            let megabytes = (EtcdJSON.number(status["dbSize"]) ?? 0) >> 20
            let version = status["version"]?.text ?? "?"
            let alarms = try gateway.maintenance("alarm", ["action": "GET"])
            if !(alarms["alarms"]?.elements ?? []).isEmpty {
                findings.append(
                    .problem(
                        "etcd", "\(member) has an alarm: its quota is used up, or data is corrupt",
                        next: "etcdctl alarm list; then compact, defragment, and alarm disarm"))
            }
            _ = try gateway.get(location.keys.leader)
            findings.append(
                .ok("etcd", "\(member) answers, version \(version), \(megabytes) MB"))
        } catch {
            findings.append(ClusterFindings.finding(error))
        }
        if let skew = gateway.clockSkew, abs(skew) > ClusterFindings.skewSeconds {
            findings.append(
                .warning(
                    "etcd", "the clock of \(member) differs by \(skew) s from this machine's",
                    next: "let NTP set both: presses without a time get the leader's"))
        }
        return findings
    }

    private static func finding(_ fault: StoreFault) -> DoctorFinding {
        switch fault {
        case .unanswered(let why):
            .problem(
                "etcd",
                why.hasPrefix("no answer: ") ? why : "no answer of a majority: \(why)",
                next: "see 'systemctl status etcd' there, and whether two of three members run")
        default:
            .problem("etcd", fault.words, next: ClusterFindings.step(after: fault.words))
        }
    }

    /// The step to take after a refusal.
    private static func step(after why: String) -> String {
        let steps = [
            (
                "enable-grpc-gateway",
                "start etcd with --enable-grpc-gateway=true, and name its "
                    + "client port in --store"
            ),
            (
                "user name is empty",
                "name the user in --store, as in etcd://relay@HOST:PORT/NAME, "
                    + "and its password with --store-password-file"
            ),
            ("not enabled", "remove the user from --store, or run 'etcdctl auth enable'"),
            ("permission denied", "grant the user's role reading and writing below /beemed/"),
        ]
        return steps.first { why.contains($0.0) }?.1
            ?? "check the user in --store, its role, and --store-password-file"
    }
}
