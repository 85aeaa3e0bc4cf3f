/// The help texts.
enum Usage {
    static let program = """
        usage: beemed-relay COMMAND [OPTIONS]

          demo                try it with a stand-in for Beeminder; nothing leaves the machine
          serve               the relay itself
          simulator           the stand-in for Beeminder alone
          device add NAME     a device and its token, printed alone; also list, rotate, remove,
                              export, import
          owner-link          a link that signs a browser in as the owner, once
          connect             save the Beeminder account's token
          disconnect          forget it; what is queued stays queued
          status              what runs, which account, how much waits
          journal verify      what the journal holds and what a start would do; touches nothing
          backup TO           a consistent copy of the data folder, also while the relay runs
          version             what this is

        COMMAND --help tells more of each.
        """

    private static let settings = """
          --data DIR              the data folder (BEEMED_DATA)
          --listen HOST:PORT      default 0.0.0.0:2336 (BEEMED_LISTEN)
          --beeminder-url URL     default https://www.beeminder.com/api/v1/ (BEEMED_BEEMINDER_URL)
          --rate-limit off|N      requests a second for each token, default 50 (BEEMED_RATE_LIMIT)
          --max-connections N     default 1024 (BEEMED_MAX_CONNECTIONS)
          --host-name A,B         further names of this machine (BEEMED_HOST_NAME)
          --oauth-client-id ID    see /oauth/start (BEEMED_OAUTH_CLIENT_ID)
          --oauth-redirect-uri U  as registered there, if not the address in the browser
          --trusted-proxy A,B     addresses whose X-Forwarded-* is believed (BEEMED_TRUSTED_PROXY)
          --serve-public-addresses  serve clients outside of private networks too
        """

    static let serve = """
        usage: beemed-relay serve [OPTIONS]

        Takes presses, keeps them, delivers them to Beeminder. The account comes from
        BEEMINDER_AUTH_TOKEN or BEEMINDER_ACCESS_TOKEN, or from 'beemed-relay connect'.

        \(settings)
        """

    static let demo = """
        usage: beemed-relay demo [OPTIONS]

        A relay and a stand-in for Beeminder with three goals. Prints a line to try.

        \(settings)
        """

    static let simulator = """
        usage: beemed-relay simulator [--listen HOST:PORT]

        A stand-in for Beeminder, for trying things without money at stake.
        Default 127.0.0.1:2337.
        """

    static let device = """
        usage: beemed-relay device add NAME [--goals A,B] [--can log,read,manage] [--goal G]
                            [--value V] [--strict] [--data DIR]
               beemed-relay device list | rotate NAME | remove NAME [--data DIR]
               beemed-relay device export [NAME ...] | import [--data DIR]

        'add' makes a device and prints its token, alone, on standard output; 'rotate' gives it
        another one. --goals are the only goals it may log to; --goal is that of a press that names
        none, and --value that of a press that has none, so that an empty press is +V to G. With
        --strict a press is refused for a name in it that means nothing. 'list' shows them, and when
        each was last here. Works whether a relay runs on that data folder or not.

        A device that is removed and added again is another one, also under the same name: what its
        predecessor sent is neither seen nor undone by it. 'export' prints devices, a JSON object a
        line, and 'import' reads such lines from standard input, so that a second relay takes the
        same device's presses for the same. No token is in them, only its SHA-256.
        """

    static let ownerLink = """
        usage: beemed-relay owner-link [--sign-out-everywhere] [--data DIR]

        Prints a link that signs a browser in as the owner. It works once, and for 15 minutes. With
        --sign-out-everywhere, it signs all browsers out instead.
        """

    static let journal = """
        usage: beemed-relay journal verify [DIR] [--data DIR]

        Reads a data folder's journal and tells in words what is there, what is damaged and what a
        start would do. Touches nothing. Ends with 65 when a person should look.
        """

    static let backup = """
        usage: beemed-relay backup FOLDER | FILE.tar [--data DIR]

        Copies the data folder to a place that does not exist yet, whether a relay runs on it or
        not, and says what is in the copy and how to restore it. The copy holds everything that was
        acknowledged before the command began, and all tokens: nobody else can read it. Ends with 65
        when the copy is made and a person should look at what is in it.
        """

    static let disconnect = """
        usage: beemed-relay disconnect [--data DIR]

        Forgets the Beeminder account. What is queued waits until the same user is connected again.
        Works whether a relay runs on that data folder or not.
        """

    static let status = """
        usage: beemed-relay status [--json] [--data DIR]

        What runs on that data folder, which account it delivers to and how much waits. Ends with 69
        when nothing runs or it is not well.
        """

    static let connect = """
        usage: beemed-relay connect [--auth-token - | --access-token - [--username NAME]]
                                    [--data DIR] [--beeminder-url URL]

        Asks Beeminder whose the token is, and saves it: from standard input, or from
        BEEMINDER_AUTH_TOKEN or BEEMINDER_ACCESS_TOKEN. The whole of auth_token.json will do. A
        token that Beeminder refuses is not saved (77); without an answer it is saved, and said not
        to be verified. Works whether a relay runs on that data folder or not.
        """
}
