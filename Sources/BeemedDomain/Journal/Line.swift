import FoundationEssentials

/// What a good line of the journal says.
enum Line: Sendable, Equatable {
    case open(Opening)
    case record(Record)
    case baseEnd(next: SequenceNumber, count: Int)
    case seal(next: SequenceNumber, count: Int)
    case close(next: SequenceNumber)
    /// A type that a later version writes, with a good check value: to be kept.
    case unknown(number: SequenceNumber?)
}

/// Why bytes are no line.
enum LineFault: Error, Equatable, Sendable {
    /// No TAB, check value and LF where they should be.
    case unframed
    /// The check value is another one.
    case check
    /// The check value is right and the contents make no sense.
    case contents
    /// A format that a later version writes: nothing may be touched.
    case laterVersion(Int)
}

extension Line {
    /// The longest line, in bytes. A longer one is damage, so nothing more is ever buffered.
    static let longest = 65_536

    /// Reads a line without its LF.
    ///
    /// - Throws: what is wrong with it.
    init(_ bytes: ArraySlice<UInt8>) throws(LineFault) {
        guard bytes.count > 9, bytes.count < Line.longest,
            bytes[bytes.endIndex - 9] == 0x09
        else { throw .unframed }
        let json = bytes.dropLast(9)
        guard Line.isCheck(bytes.suffix(8), of: json) else { throw .check }
        guard let raw = try? JSONDecoder().decode(RawLine.self, from: Data(json)) else {
            throw .contents
        }
        self = try raw.line()
    }

    private static func isCheck(_ text: ArraySlice<UInt8>, of json: ArraySlice<UInt8>) -> Bool {
        var value: UInt32 = 0
        for byte in text {
            switch byte {
            case 0x30...0x39: value = value << 4 | UInt32(byte - 0x30)
            case 0x61...0x66: value = value << 4 | UInt32(byte - 0x61 + 10)
            default: return false
            }
        }
        return value == CRC32C.of(json.span)
    }
}

/// A line as it is written: every member of every type, each of them optional.
private struct RawLine: Decodable {
    struct Arrival: Decodable {
        var wall: Int64
        var mono: Int64
        var boot: String
    }

    var t: String
    var q: UInt64?
    // open
    var v: Int?
    var store: String?
    var seg: Int?
    var base: Bool?
    // put
    var src: String?
    var id: String?
    var goal: String?
    var value: Double?
    var comment: String?
    var at: Int64?
    var from: String?
    var rx: Arrival?
    var meta: [String: String]?
    // done, refused
    var of: UInt64?
    var how: String?
    var datapoint: String?
    var status: Int?
    var why: String?
    // base-end, seal
    var n: Int?

    func line() throws(LineFault) -> Line {
        guard t != "open" else { return .open(try opening()) }
        guard let number = q.map({ SequenceNumber($0) }) else { return .unknown(number: nil) }
        switch t {
        case "put": return .record(Record(number, .put(try event())))
        case "done", "refused": return .record(Record(number, try outcome()))
        case "base-end": return .baseEnd(next: number, count: try need(n))
        case "seal": return .seal(next: number, count: try need(n))
        case "close": return .close(next: number)
        default: return .unknown(number: number)
        }
    }

    private func opening() throws(LineFault) -> Opening {
        let version = try need(v)
        guard version <= Opening.version else { throw .laterVersion(version) }
        return Opening(
            store: try need(store), segment: try need(seg),
            firstNumber: SequenceNumber(try need(q)), hasBase: try need(base))
    }

    private func event() throws(LineFault) -> Event {
        let arrival = try need(rx)
        return Event(
            key: EventKey(
                device: try need(DeviceName(try need(src))), id: try need(EventID(try need(id)))),
            goal: try need(GoalSlug(try need(goal))), value: try need(value),
            comment: comment ?? "", at: UnixTime(try need(at)),
            timeSource: try need(TimeSource(rawValue: try need(from))),
            arrival: Event.Arrival(
                wall: UnixTime(arrival.wall), monotonic: Monotonic(milliseconds: arrival.mono),
                boot: arrival.boot),
            metadata: meta ?? [:])
    }

    private func outcome() throws(LineFault) -> Record.Fact {
        let of = SequenceNumber(try need(of))
        if t == "refused" {
            return .refused(of: of, status: try need(status), why: why ?? "")
        }
        return .done(
            of: of, how: try need(Delivered(rawValue: try need(how))), datapoint: datapoint)
    }

    private func need<Value>(_ value: Value?) throws(LineFault) -> Value {
        guard let value else { throw .contents }
        return value
    }
}
