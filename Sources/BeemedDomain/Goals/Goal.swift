/// How soon a goal derails.
package enum Urgency: String, Sendable {
    /// Within a day.
    case critical
    /// Within three days.
    case warning
    case safe
}

/// What is kept of a goal (Beeminder API reference, "Goal resource").
package struct Goal: Codable, Hashable, Sendable {
    package var slug: String
    /// Stays when the slug is renamed.
    package var id: String?
    package var title: String?
    /// Unix seconds at which it derails if nothing is done.
    package var losedate: Int64?
    /// Sorts by urgency, most urgent first, as plain text.
    package var urgencykey: String?
    /// Seconds from midnight at which its day ends, -61,200 to 21,600.
    package var deadline: Int?
    /// The unit, as in "pages".
    package var gunits: String?
    /// What is due, as in "+2 in 7 days".
    package var limsum: String?
    /// Dollars at stake.
    package var pledge: Double?
    /// Whether Beeminder has not drawn the graph since the last datapoint: `losedate` and what is
    /// due are then those of before.
    package var queued: Bool?

    /// A goal with that name and nothing known of it.
    package init(
        slug: GoalSlug, title: String? = nil, losedate: Int64? = nil, urgencykey: String? = nil
    ) {
        self.slug = slug.description
        self.title = title
        self.losedate = losedate
        self.urgencykey = urgencykey
    }

    /// How soon it derails.
    package func urgency(at now: UnixTime) -> Urgency {
        guard let losedate else { return .safe }
        switch losedate - now.seconds {
        case ..<86_400: return .critical
        case ..<259_200: return .warning
        default: return .safe
        }
    }
}
