import RelayHTTP

/// What is known of the head of a request. A client sends the same head again and again on its
/// connection, so what depends on nothing else is found out once for each connection, and not for
/// each press.
final class KnownHead {
    let head: Head
    /// The pattern of its path if it is a request to log one press; nil for any other.
    private(set) var pressRoute: StaticString?
    /// Who sends it, if that is known.
    var sender: KnownSender?
    /// Its last press.
    var press = KnownPress()

    init(_ head: Head) {
        self.head = head
    }

    /// Remembers what its path names.
    func remember(_ route: Route) {
        pressRoute = route.takesTokenInBody && route.method == .post ? route.pattern : nil
    }
}

/// The last heads of the connections.
struct KnownHeads {
    /// By connection.
    private var known: [KnownHead?] = []

    /// The number of connections whose heads are remembered: bounds their memory.
    private static let most = 1_024

    /// What is known of a head that has come on that connection.
    mutating func known(_ head: Head, on connection: Int) -> KnownHead {
        guard connection < KnownHeads.most, !head.isLong else { return KnownHead(head) }
        while known.count <= connection { known.append(nil) }
        if let last = known[connection], last.head === head { return last }
        let new = KnownHead(head)
        known[connection] = new
        return new
    }
}
