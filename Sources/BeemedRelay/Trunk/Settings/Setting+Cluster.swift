import RelayHTTP

/// The settings of a cluster.
extension Setting {
    /// Where the cluster's journal is.
    package static let store = Setting(
        option: CommandOption(
            "store", value: "URL",
            "where the journal of a cluster is, as in etcd://pi-1:2379,pi-2:2379,nas:2379/home"),
        variable: "BEEMED_STORE", key: "store", standard: "none",
        // A mistake may be a password, which no log must show.
        shown: { $0.cluster.store?.text ?? "none" }
    ) { text, settings in
        settings.cluster.store = StoreLocation(text)
        return settings.cluster.store == nil ? StoreLocation.mistake(in: text) : nil
    }

    /// The file with etcd's password.
    package static let storePasswordFile = Setting(
        option: CommandOption(
            "store-password-file", value: "FILE",
            "the password of the user that --store names"),
        variable: "BEEMED_STORE_PASSWORD_FILE", key: "storePasswordFile", standard: "none"
    ) { text, settings in
        settings.cluster.passwordFile = text
        return nil
    }

    static let lease = Setting(
        option: CommandOption(
            "lease", value: "SECONDS", "how long another relay waits before it leads, 2 to 60"),
        variable: "BEEMED_LEASE", key: "lease", standard: "5"
    ) { text, settings in
        guard let seconds = Int(text), (2...60).contains(seconds) else {
            return "is not a number from 2 to 60"
        }
        settings.cluster.leaseSeconds = seconds
        return nil
    }

    static let advertise = Setting(
        option: CommandOption(
            "advertise", value: "HOST:PORT", "where the other relays of a cluster reach this one"),
        variable: "BEEMED_ADVERTISE", key: "advertise", standard: "the address it listens on"
    ) { text, settings in
        guard let endpoint = Endpoint(text) else {
            return "is not HOST:PORT, as in 192.168.1.2:2336"
        }
        settings.cluster.advertised = endpoint
        return nil
    }
}
