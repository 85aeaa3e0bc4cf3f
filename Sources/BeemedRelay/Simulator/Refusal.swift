/// The reason why the simulated Beeminder refuses a call.
enum Refusal: Error, Equatable, Sendable {
    case badAuthToken, badAccessToken, notSignedIn
    case notFound
    /// An existing route with an unsupported method.
    case wrongMethod(allowed: String)
    case unreadableParameters
    case valueMissing, valueNotNumber
    case timestampInMilliseconds, badTimestamp, badDaystamp, badPage, badText
    case datapointsMissing, datapointsUnreadable
    case duplicate
    case tooManyThatDay(limit: Int)
    case closedGoal
    case goalIncomplete
    case slugTaken, badSlug
    /// A setting of a goal, by its parameter's name.
    case badSetting(String)
    case stepdownImpossible(dollars: Double)
    case badCharge
}

extension Refusal {
    /// The status of Beeminder's answer.
    var status: Int {
        switch self {
        case .badAuthToken, .badAccessToken, .notSignedIn: 401
        case .notFound, .wrongMethod: 404
        case .unreadableParameters: 400
        case .valueMissing, .valueNotNumber, .timestampInMilliseconds, .badTimestamp,
            .badDaystamp, .badPage, .badText, .datapointsMissing, .datapointsUnreadable,
            .duplicate, .tooManyThatDay, .closedGoal, .goalIncomplete, .slugTaken, .badSlug,
            .badSetting, .stepdownImpossible, .badCharge:
            422
        }
    }

    /// The body. Recorded 2026-01: a bad `auth_token`, not signed in, not found, a missing value,
    /// an incomplete goal, an impossible stepdown. Observed by clients: a non-numeric value, a
    /// duplicate, an unreadable `roadall`. The others follow their shapes; their texts are not
    /// known.
    var body: OrderedJSON {
        switch self {
        case .badAuthToken: Refusal.badToken("auth_token")
        case .badAccessToken: Refusal.badToken("access_token")
        case .notSignedIn:
            ["error": .string("You need to log in or sign up before continuing.")]
        case .notFound: ["error": .string("The requested resource was not found.")]
        case .wrongMethod(let allowed):
            ["error": .string("No such route with this method. Did you mean \(allowed)?")]
        case .unreadableParameters, .badSetting:
            ["errors": ["message": .string(message)]]
        case .valueMissing:
            Refusal.field("value", "can't be blank", "is not a number")
        case .valueNotNumber: Refusal.field("value", "is not a number")
        case .goalIncomplete:
            ["errors": Refusal.incompleteGoal]
        case .timestampInMilliseconds, .badTimestamp, .badDaystamp, .badPage, .badText,
            .datapointsMissing, .datapointsUnreadable, .duplicate, .tooManyThatDay, .closedGoal,
            .slugTaken, .badSlug, .stepdownImpossible, .badCharge:
            ["errors": .string(message)]
        }
    }

    /// The text alone, for the list of errors of `create_all`.
    var message: String {
        switch self {
        case .badAuthToken, .badAccessToken: "bad_token"
        case .notSignedIn: "You need to log in or sign up before continuing."
        case .notFound, .wrongMethod: "The requested resource was not found."
        case .unreadableParameters: "Error parsing params"
        case .valueMissing: "Value can't be blank"
        case .valueNotNumber: "Value is not a number"
        case .timestampInMilliseconds:
            "Timestamp is too far in the future"
                + " (did you give us milliseconds instead of seconds?)"
        case .badTimestamp: "Timestamp is not a number"
        case .badDaystamp: "Daystamp must be formatted YYYYMMDD"
        case .badPage: "Page must be at least 1"
        case .badText: "Could not parse the datapoint's text"
        case .datapointsMissing: "Missing parameter: datapoints"
        case .datapointsUnreadable: "Could not parse datapoints as JSON"
        case .duplicate: "Duplicate request"
        case .tooManyThatDay(let limit): "Too many datapoints for that day (\(limit))"
        case .closedGoal: "Goal must be restarted before continuing to accept data"
        case .goalIncomplete: "Goal is incomplete"
        case .slugTaken: "Goalname has already been taken"
        case .badSlug: "Goalnames cannot be more than 20 characters"
        case .badSetting(let name): "Error parsing params (\(name))"
        case .stepdownImpossible(let dollars):
            "Cannot schedule a stepdown for a contract with amount"
                + " $\(OrderedJSON.shortest(dollars))"
        case .badCharge: "Amount must be at least 1.00"
        }
    }

    private static func badToken(_ name: String) -> OrderedJSON {
        let message = "No such \(name) found. (Did you mix up auth_token and access_token?)"
        return [
            "errors": [name: .string("bad_token"), "message": .string(message)]
        ]
    }

    private static func field(_ name: String, _ faults: String...) -> OrderedJSON {
        ["errors": [name: .array(faults.map(OrderedJSON.string))]]
    }

    private static var incompleteGoal: OrderedJSON {
        [
            "gtype": .array([.string("can't be blank"), .string("you must select a goal type")]),
            "base": .array([
                .string("You must set two of (Goal, Goal Date, and Rate)"),
                .string("Goal units are required"),
            ]),
        ]
    }
}
