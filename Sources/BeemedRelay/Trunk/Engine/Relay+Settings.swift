import BeemedDomain
import RelayHTTP

extension Relay {
    /// Takes over settings that were read again. Settings that cannot change while the relay runs
    /// stay, and the log says so.
    package func change(_ new: Settings) {
        let old = settings.origins
        var (kept, changed): ([String], [String]) = ([], [])
        for setting in Setting.all {
            let (before, after) = (old.of(setting), new.origins.of(setting))
            guard before?.value != after?.value else { continue }
            if setting.changesLive {
                changed.append(setting.name)
            } else {
                kept.append(setting.name)
            }
        }
        environment.settings.updateLive(from: new)
        access.change(settings)
        tell(.settingsChanged)
        log.change(settings.logLevel, settings.logFormat)
        log.info("settings reread", [("changed", changed.joined(separator: ","))])
        if !kept.isEmpty {
            log.warning(
                "restart the relay to change these settings",
                [("settings", kept.joined(separator: ","))])
        }
    }
}

extension [SettingOrigin] {
    fileprivate func of(_ setting: Setting) -> SettingOrigin? {
        first { $0.name == setting.name }
    }
}

extension Relay {
    /// Ends what depends on a revoked token or session: links, sessions, authorizations, waiting
    /// requests and queues under way. Health data that was accepted is taken.
    func endRevoked() {
        if access.endRevoked() {
            files.saveCache { [sessions = access.sessions] in
                _ = $0.save(sessions, as: .sessions, $1)
            }
        }
        let access = access
        endWaits { !access.isGood($0.digest) }
        for intake in intakes.list where !access.isGood(intake.device) { intake.isRevoked = true }
    }

    /// Saves the last-seen times, off the loop.
    func saveLastSeen() {
        guard let times = access.lastSeen.takeUnsaved(of: access.devices) else { return }
        files.saveCache { _ = $0.save(times, as: .lastSeen, $1) }
    }
}

extension Relay {
    /// Retries waiting deliveries at once when a network comes back. Called on the loop.
    package nonisolated func networkCameBack() {
        assumeIsolated { relay in
            relay.log.info("a network has come back", [])
            relay.engine.handle(.reachable)
            relay.finishTurn()
            // Further work may be due: this comes behind the relay's own turn.
            relay.loop.post {}
        }
    }
}
