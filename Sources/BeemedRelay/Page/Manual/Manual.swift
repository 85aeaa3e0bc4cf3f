import BeemedDomain
import RelayHTTP
import RelayTrunk

/// The manual and the API contract of the running version, readable without token and internet.
enum Manual {
    // Each is made when it is first read: its digest would delay every start of a command.
    static let css = file("text/css; charset=utf-8", "manual/manual.css")
    static let js = file("text/javascript; charset=utf-8", "manual/manual.js")
    static let yaml = file("application/yaml", "openapi.yaml")

    private static func file(_ kind: String, _ name: String) -> Response {
        .asset(kind, EmbeddedFiles.file(name), policy)
    }

    /// Allows only the relay's own style and script, and frames of the same origin.
    private static let policy =
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; "
        + "form-action 'self'; base-uri 'none'; frame-ancestors 'self'"

    // MARK: The page

    private static let text = ManualText(
        String(decoding: EmbeddedFiles.file("manual/manual.html"), as: UTF8.self),
        placeholders: /\[\[[a-z-]+\]\]/)

    static func page(for reader: ManualReader) -> Response {
        let page = text.filled { placeholder in
            switch placeholder {
            case "[[scheme]]": reader.scheme
            case "[[relay]]": HTMLText.escaped(reader.relay)
            case "[[root]]": reader.root
            case "[[goal]]": value("goal", reader.goal?.description ?? "GOAL")
            case "[[token]]": value("token", "TOKEN")
            // As the value of a field, which is empty without a goal.
            case "[[goal-value]]": HTMLText.escaped(reader.goal?.description ?? "")
            default: placeholder
            }
        }
        return .asset("text/html; charset=utf-8", page, policy)
    }

    /// A value that the page's script may replace.
    private static func value(_ name: String, _ text: String) -> String {
        "<span class=\"value\" data-name=\"\(name)\">\(HTMLText.escaped(text))</span>"
    }

    // MARK: Recipes

    /// The files of `recipes/` by their names. GOAL is also a variable's name in some of them: a
    /// placeholder for the goal is quoted, or part of a path or an option.
    static let recipes = Dictionary(
        uniqueKeysWithValues: EmbeddedFiles.folder("recipes").map { name, content in
            let text = ManualText(
                String(decoding: content, as: UTF8.self),
                placeholders:
                    #/
                    \b(?:(?:http://)?RELAY:2336|RELAY|PORT\ =\ 2336)\b
                    |(?:/log/|"|--goals\ |goal:\ )GOAL\b
                    /#)
            return (name, text)
        })

    /// The recipe of that name with this reader's values, as text; nil if there is none.
    static func recipe(_ name: String, for reader: ManualReader) -> Response? {
        let (host, port) = reader.hostAndPort
        let policy = "default-src 'none'; frame-ancestors 'none'"
        let recipe = recipes[name]?.filled {
            switch $0 {
            case "http://RELAY:2336": "\(reader.scheme)://\(reader.relay)"
            case "RELAY:2336": reader.relay
            case "RELAY": "\(host)"
            case "PORT = 2336": "PORT = \(port)"
            default: "\($0.dropLast("GOAL".count))\(reader.goal?.description ?? "GOAL")"
            }
        }
        return recipe.map { .asset("text/plain; charset=utf-8", $0, policy) }
    }
}

enum ManualRoutes {
    static func page(_ relay: isolated Relay, _ call: Call) -> Response? {
        Manual.page(for: reader(relay, call)).unlessKnown(KnownTags(call.request))
    }

    /// `GET /docs/recipes/{file}`: a recipe with this relay's address inserted.
    static func recipe(_ relay: isolated Relay, _ call: Call) throws(Problem) -> Response? {
        let reader = reader(relay, call, showsUrgent: false)
        guard let recipe = Manual.recipe(call.name, for: reader) else {
            throw .notFound("there is no recipe '\(call.name.prefix(64))'; /docs names them")
        }
        return recipe.unlessKnown(KnownTags(call.request))
    }

    /// The reader of the manual. Its goal is the requested one, else the owner's most urgent one:
    /// only the owner may learn which goals exist.
    private static func reader(
        _ relay: isolated Relay, _ call: Call, showsUrgent: Bool = true
    ) -> ManualReader {
        let query = call.request.target.query ?? ""
        let asked = FormDecoder.value(of: ["goal"], in: query, atMost: 256)
        var goal = asked.flatMap(GoalSlug.init)
        if goal == nil, showsUrgent, relay.access.isSignedIn(call.request, call.context) {
            let urgent = relay.engine.core.view.snapshot(at: call.moment, limit: 1).goals.first
            goal = urgent.flatMap { GoalSlug($0.goal.slug) }
        }
        return ManualReader(
            HomeAddress(for: call, of: relay), root: call.request.target.root, goal: goal)
    }
}
