/// What a device sent, by field, before anything is made of it.
struct PressFields: Sendable, Equatable {
    /// How the body was read; told in the answer, so that a person sees what the relay saw.
    enum Form: String, Sendable {
        case empty, json, form, multipart, text
    }

    var form = Form.empty
    var goal: String?
    var value: String?
    var comment: String?
    var id: String?
    var timestamp: String?
    var age: String?
    var token: String?
    /// A field that means something and was given as a list or an object.
    var nested: String?
    /// What no field was found for.
    var metadata: [String: String] = [:]

    /// Takes a field by any of the names it goes by. What is empty says nothing.
    mutating func set(_ name: String, _ text: String) {
        switch name {
        case "goal", "goalSlug", "slug": goal = text
        case "value": value = text
        case "comment": comment = text
        case "id", "requestid", "requestId", "rid": id = text
        case "timestamp", "ts": timestamp = text
        case "age", "age_s": age = text
        case "token": token = text
        default: metadata[name] = text
        }
    }

    /// Takes note of a list or an object. Where one has no meaning, it has none.
    mutating func setNested(_ name: String) {
        switch name {
        case "goal", "goalSlug", "slug", "value", "comment", "id", "requestid", "requestId", "rid",
            "timestamp", "ts", "age", "age_s", "token":
            nested = name
        default: break
        }
    }

    /// Whether the sender only asks how this would be read. Anything but a plain no is a yes: what
    /// was not meant to be logged must not be.
    mutating func takeDryRun() -> Bool {
        guard !metadata.isEmpty, let wish = metadata.removeValue(forKey: "dry_run") else {
            return false
        }
        return !["0", "false", "no", "off"].contains(wish.lowercased())
    }

    /// Fills what this leaves open from the other.
    func filled(from other: PressFields) -> PressFields {
        var all = self
        all.goal = goal ?? other.goal
        all.value = value ?? other.value
        all.comment = comment ?? other.comment
        all.id = id ?? other.id
        all.timestamp = timestamp ?? other.timestamp
        all.age = age ?? other.age
        all.token = token ?? other.token
        all.metadata.merge(other.metadata) { own, _ in own }
        return all
    }
}
