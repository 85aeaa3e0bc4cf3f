import RelayHTTP

/// The files by which systemd and launchd run the relay.
struct Units {
    /// The program's file.
    let program: String
    /// Further arguments of `serve`.
    var arguments: [String] = []
    /// Whether it is a service of the machine, else of one user.
    let isOfMachine: Bool
    /// The user's home folder, in whose `Library/Logs` launchd puts the log of a user's service.
    var home = Settings.home

    /// The unit's name, without `.service`.
    static let name = "beemed-relay"
    /// The job's name for launchd.
    static let label = "com.beemedrelay.relay"

    /// The command line, as systemd reads it (systemd.service(5)).
    private var command: String {
        ([program, "serve"] + arguments).map { word in
            let isPlain = word.utf8.allSatisfy {
                $0 > 0x20 && $0 < 0x7F && !"\"'\\$%;".utf8.contains($0)
            }
            let escaped = word.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
            return (isPlain ? word : "\"\(escaped)\"")
                .replacing("%", with: "%%").replacing("$", with: "$$")
        }.joined(separator: " ")
    }

    /// The unit (systemd.unit(5), systemd.exec(5)).
    ///
    /// Exit codes after which a restart would only repeat the failure, or hide it: wrong use,
    /// another relay on the folder, permissions, configuration.
    var systemd: String {
        """
        [Unit]
        Description=BeemedRelay: takes presses and delivers them to Beeminder
        Documentation=man:beemed-relay(1)
        \(isOfMachine ? "Wants=network-online.target\nAfter=network-online.target\n" : "")\
        StartLimitIntervalSec=0

        [Service]
        Type=notify
        ExecStart=\(command)
        ExecReload=/bin/kill -HUP $MAINPID
        Restart=on-failure
        RestartSec=2
        RestartPreventExitStatus=64 75 77 78
        TimeoutStopSec=30
        UMask=0077
        \(isOfMachine ? machine : user)

        [Install]
        WantedBy=\(isOfMachine ? "multi-user" : "default").target
        """
    }

    /// What a service of the machine is kept from. `LoadCredential` without a path takes the token
    /// from /etc/credstore, if it is there.
    private var machine: String {
        let isAtHome = ["/home/", "/root/"].contains { program.hasPrefix($0) }
        return """
            DynamicUser=yes
            StateDirectory=beemed-relay
            StateDirectoryMode=0700
            Environment=BEEMED_DATA=%S/beemed-relay
            EnvironmentFile=-/etc/default/beemed-relay
            LoadCredential=beeminder-auth-token
            LimitNOFILE=8192
            CapabilityBoundingSet=
            LockPersonality=yes
            MemoryDenyWriteExecute=yes
            NoNewPrivileges=yes
            PrivateDevices=yes
            PrivateTmp=yes
            PrivateUsers=yes
            ProtectClock=yes
            ProtectControlGroups=yes
            ProtectHome=\(isAtHome ? "read-only" : "yes")
            ProtectHostname=yes
            ProtectKernelLogs=yes
            ProtectKernelModules=yes
            ProtectKernelTunables=yes
            ProtectProc=invisible
            ProtectSystem=strict
            RemoveIPC=yes
            RestrictAddressFamilies=AF_INET AF_INET6 AF_NETLINK AF_UNIX
            RestrictNamespaces=yes
            RestrictRealtime=yes
            RestrictSUIDSGID=yes
            SystemCallArchitectures=native
            SystemCallFilter=@system-service
            SystemCallFilter=~@privileged @resources
            SystemCallErrorNumber=EPERM
            """
    }

    /// A user's manager may not set up the rest on every machine, and a unit that asks for it would
    /// not start there.
    private let user = """
        NoNewPrivileges=yes
        LockPersonality=yes
        MemoryDenyWriteExecute=yes
        RestrictRealtime=yes
        SystemCallArchitectures=native
        """

    /// The property list (launchd.plist(5)).
    var launchd: String {
        func escaped(_ text: String) -> String {
            text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
        }
        let log = "\(isOfMachine ? "" : home)/Library/Logs/\(Units.name).log"
        let words = ([program, "serve"] + arguments).map {
            "        <string>\(escaped($0))</string>"
        }
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" \
            "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">
            <dict>
                <key>Label</key>
                <string>\(Units.label)</string>
                <key>ProgramArguments</key>
                <array>
            \(words.joined(separator: "\n"))
                </array>
                <key>RunAtLoad</key>
                <true/>
                <key>KeepAlive</key>
                <dict>
                    <key>SuccessfulExit</key>
                    <false/>
                </dict>
                <key>StandardErrorPath</key>
                <string>\(escaped(log))</string>
                <key>ThrottleInterval</key>
                <integer>10</integer>
                <key>Umask</key>
                <integer>63</integer>
            </dict>
            </plist>
            """
    }
}
