import RelayHTTP

/// What is known of the head of a request. A client sends the same head again and again on its
/// connection, so what depends on nothing else is found out once for each connection.
///
/// This is for speed alone: without it and the last press that it keeps, a press takes 45,000
/// instructions and not 31,000 (`Benchmarks/instructions.py --connections 64`).
final class KnownHead {
    let head: Head
    /// What it asks for; nil before that was looked up.
    var match: (match: RouteTable.Match, route: Route?)?
    /// Who sends it, if that is known.
    var sender: KnownSender?
    /// Its last press, if another one may be the same.
    var press: KnownPress?

    init(_ head: Head) {
        self.head = head
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
