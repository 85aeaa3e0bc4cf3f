import BeemedDomain
import RelayHTTP

/// The clock in the health report.
extension HealthCheck {
    /// The fault of the clock, and the remedy; nil when none is known.
    var clockAlarm: String? {
        let advice = isClockDisciplined == false ? "set it; NTP has not" : "set it, or turn NTP on"
        return switch clock {
        case .right: nil
        case .unset: "the relay's clock is not set: presses wait until it is; \(advice)"
        case .doubtful(let seconds):
            "the relay's clock is \(seconds.duration) behind the last press before it, and no "
                + "source gave the time: \(advice)"
        case .wrong(let seconds, let source):
            "the relay's clock is \(abs(seconds).duration) \(seconds > 0 ? "behind" : "ahead of") "
                + "\(source.words): \(advice); until then presses get \(source.owner) time"
        }
    }

    /// The member `clock` of the answer.
    func writeClock(to json: inout JSONWriter) {
        json.add("clock") { clock in
            clock.add("state", self.clock.word)
            if case .wrong(let seconds, let source) = self.clock {
                clock.add("behindSeconds", seconds)
                clock.add("source", source.rawValue)
            }
            if case .doubtful(let seconds) = self.clock { clock.add("behindSeconds", seconds) }
            if let isClockDisciplined { clock.add("ntp", isClockDisciplined) }
        }
    }
}

extension ClockState {
    /// The API's name for the state.
    fileprivate var word: String {
        switch self {
        case .right: "right"
        case .unset: "unset"
        case .wrong: "wrong"
        case .doubtful: "doubtful"
        }
    }
}

extension ClockSource {
    fileprivate var owner: String {
        switch self {
        case .beeminder: "Beeminder's"
        case .devices: "the devices'"
        }
    }

    fileprivate var words: String {
        switch self {
        case .beeminder: "Beeminder's"
        case .devices: "that of several devices"
        }
    }
}

extension Int64 {
    /// Seconds as text for the user.
    fileprivate var duration: String {
        switch self {
        case ..<7_200: "\(self / 60) minutes"
        case ..<172_800: "\(self / 3_600) h \(self / 60 % 60) min"
        default: "\(self / 86_400) days"
        }
    }
}
