import RelayHTTP

/// A request to the simulated Beeminder, read as Rails does: a path without its `.json`, and one
/// set of parameters in which the body overrides the query.
struct SimulatedCall: Sendable {
    var method: RelayHTTP.Method
    /// The decoded path segments, the last one without `.json`.
    var path: [String]
    /// The path as received.
    var rawPath: String
    /// The query as received.
    var rawQuery: String?
    /// From the query and the body.
    var parameters: JSONObject
    /// The `Host` as received.
    var host: String?
    /// The token of `Authorization: Bearer`.
    var bearer: String?
    /// The body is declared as JSON or multipart and is invalid.
    var isUnreadable = false
    /// The `Access-Control-Request-Headers` of a preflight (Fetch Standard, "CORS protocol").
    var corsHeaders: String?

    init(
        _ method: RelayHTTP.Method, _ target: String, contentType: String? = nil, body: String = "",
        host: String? = nil, bearer: String? = nil
    ) {
        let pieces = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        self.method = method
        rawPath = String(pieces[0])
        path = SimulatedCall.split(rawPath)
        self.host = host
        self.bearer = bearer
        parameters = JSONObject()
        if pieces.count == 2 { add(query: String(pieces[1])) }
        add(body: Array(body.utf8), contentType: contentType?.lowercased() ?? "")
    }

    /// A call from an HTTP request.
    init(_ request: Request) {
        let authorization = request.fields["authorization"] ?? ""
        let isBearer = authorization.lowercased().hasPrefix("bearer ")
        self.init(
            request.method, request.target.path, host: request.host,
            bearer: isBearer ? String(authorization.dropFirst(7)) : nil)
        corsHeaders = request.fields["access-control-request-headers"]
        if let query = request.target.query { add(query: query) }
        let type = request.fields["content-type"]?.lowercased() ?? ""
        add(body: request.body, contentType: type)
    }

    /// The parameter as text; a number in its shortest form, nil for `null` and for values without
    /// a text form.
    func text(_ name: String) -> String? {
        parameters[name]?.parameterText
    }

    /// Whether the parameter is set to a true value.
    func isOn(_ name: String) -> Bool {
        switch text(name)?.lowercased() {
        case "true", "1", "yes", "on": true
        case _: false
        }
    }

    /// The parameter as a whole number.
    func integer(_ name: String) -> Int? {
        text(name).flatMap(Double.init(plain:)).flatMap { Int(exactly: $0.rounded(.down)) }
    }

    private mutating func add(body: [UInt8], contentType: String) {
        guard !body.isEmpty else { return }
        if contentType.contains("application/json") {
            guard case .object(let object)? = OrderedJSON(text: body) else {
                isUnreadable = true
                return
            }
            for member in object.members { parameters[member.key] = member.value }
        } else if contentType.contains("application/x-www-form-urlencoded") {
            add(form: String(decoding: body, as: UTF8.self))
        } else if contentType.contains("multipart/form-data") {
            guard let fields = MultipartReader.fields(body[...]) else {
                isUnreadable = true
                return
            }
            for field in fields { if let value = field.value { add(field.name, value) } }
        }
    }

    /// Adds one field of a form. As in Rails, a name that ends with `[]` is a list.
    private mutating func add(_ name: String, _ value: String) {
        guard name.hasSuffix("[]") else {
            parameters[name] = .string(value)
            return
        }
        let list = String(name.dropLast(2))
        guard case .array(let elements)? = parameters[list] else {
            parameters[list] = .array([.string(value)])
            return
        }
        parameters[list] = .array(elements + [.string(value)])
    }

    private mutating func add(query: String) {
        rawQuery = query
        add(form: query)
    }

    private mutating func add(form: String) {
        for pair in form.split(separator: "&") {
            let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let value = halves.count == 2 ? String(halves[1]) : ""
            let name = SimulatedCall.decode(String(halves[0]), plusIsBlank: true)
            add(name, SimulatedCall.decode(value, plusIsBlank: true))
        }
    }

    private static func split(_ path: String) -> [String] {
        var pieces = path.split(separator: "/").map { decode(String($0), plusIsBlank: false) }
        if let last = pieces.last, last.hasSuffix(".json") {
            pieces[pieces.count - 1] = String(last.dropLast(5))
        }
        return pieces
    }

    /// Percent-decoding that keeps a percent sign without two hex digits after it.
    static func decode(_ text: String, plusIsBlank: Bool) -> String {
        let bytes = Array(text.utf8)
        var decoded: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
                let high = Character(UnicodeScalar(bytes[index + 1])).hexDigitValue,
                let low = Character(UnicodeScalar(bytes[index + 2])).hexDigitValue
            {
                decoded.append(UInt8(high * 16 + low))
                index += 3
                continue
            }
            let isBlank = plusIsBlank && bytes[index] == UInt8(ascii: "+")
            decoded.append(isBlank ? UInt8(ascii: " ") : bytes[index])
            index += 1
        }
        return String(decoding: decoded, as: UTF8.self)
    }
}

extension OrderedJSON {
    /// A scalar as the text of a form field.
    var parameterText: String? {
        switch self {
        case .string(let text): text
        case .bool(let value): value ? "true" : "false"
        case .integer(let value): String(value)
        case .number(let value), .decimal(let value): OrderedJSON.shortest(value)
        case .null, .array, .object: nil
        }
    }
}

extension Double {
    /// A decimal number with optional sign, fraction and exponent, and surrounding blanks; not the
    /// hexadecimal, infinite and undefined ones that Swift accepts.
    init?(plain text: String) {
        let trimmed = text.drop { $0.isWhitespace }
        let core = String(trimmed.reversed().drop { $0.isWhitespace }.reversed())
        let isPlain = core.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || [0x2B, 0x2D, 0x2E, 0x45, 0x65].contains(byte)
        }
        guard isPlain, let value = Double(core), value.isFinite else { return nil }
        self = value
    }
}
