import BeemedDomain
import RelayHTTP

extension Relay {
    /// Takes over settings that were read again. What cannot change while the relay runs stays, and
    /// the log says so.
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
