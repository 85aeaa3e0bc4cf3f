import BeemedDomain
import RelayHTTP

extension BodyReader {
    /// The press fields of body, query and head. They must agree.
    static func fields(of request: Request) throws(Problem) -> PressFields {
        let fields = try contents(of: request)
        for key in request.fields.all(.idempotencyKey) {
            fields.set(.id, key.filter { $0 != "\"" })
        }
        fields.settle(request.body + Array("?\(request.target.query ?? "")".utf8))
        return fields
    }

    /// The fields of a query alone.
    package static func fields(ofQuery query: String?) throws(Problem) -> PressFields {
        do throws(Fault) {
            return try BodyReader.query(query)
        } catch {
            throw error.problem
        }
    }

    /// The press fields of body and query, before the meaning of general names is decided.
    private static func contents(of request: Request) throws(Problem) -> PressFields {
        do throws(Fault) {
            let fields = try BodyReader.parse(request.body)
            guard let query = request.target.query else { return fields }
            let asked = try BodyReader.readQuery(query)
            // A Shelly appends its own name as 'id' to every URL; it is not an event id.
            if request[.userAgent]?.hasPrefix("Shelly/") == true { asked.disownID() }
            fields.fill(from: asked)
            return fields
        } catch {
            throw error.problem
        }
    }
}

extension BodyReader.Fault {
    /// The error: a text whose value is not clear is 422, and content of a wrong form 400.
    var problem: Problem {
        self == .unreadText ? .unusable(.value, advice) : .malformed(advice)
    }

    /// The advice in the error text: which form to send instead.
    var advice: String {
        switch self {
        case .malformedJSON(let position):
            "the body is not valid JSON at \(position); send an object such as "
                + "{\"value\": 1}"
        case .several: "this takes one event; send an array to POST /events"
        case .ambiguousText:
            "is this a day and a value, or a value and a comment? put the comment in quotes: "
                + "3 \"sets\" is today's, 18 3 \"sets\" is the 18th's"
        case .groupedDigits:
            "is this one number, or a day and a value? send the number without a blank, 10000, or "
                + "the whole day before the value, 2026-11-10 250"
        case .tooManyFields: "a press has at most \(PressFields.maxGiven) fields; send fewer"
        case .tooLong:
            "an event has at most \(EventReader.maxBytes) bytes, with the white space around it; "
                + "nothing was taken"
        case .notText: "the body is not UTF-8 text; send it as UTF-8"
        case .unreadText:
            "only the beginning of this text is understood; send a number, and a comment in "
                + "quotes behind it: 3 \"sets\", 1:30 \"reading\", or 18 3 \"sets\" for the 18th"
        case .cutMultipart:
            "the multipart body ends before its last boundary; send all of it, and its length in "
                + "Content-Length"
        case .nothing:
            "nothing in the body can be a press; send a number, or an object such as {\"value\": 1}"
        }
    }
}
