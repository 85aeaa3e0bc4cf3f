@testable import RelayHTTP

/// A parser and what it has read so far: a value, so that a test can fork it at any byte.
struct Reading {
    private(set) var result = BatchResult()
    private(set) var isOver = false
    /// The most that was kept of the input between two feeds.
    private(set) var maxBuffered = 0
    private var parser: RequestParser
    private let bodyBytes: Int
    private let showsHost: [Bool]

    /// - Parameter expected: says of which requests the host is looked at.
    init(limits: Limits = Limits(), like expected: BatchResult = BatchResult()) {
        parser = RequestParser(limits: limits)
        bodyBytes = limits.bodyBytes
        showsHost = expected.requests.map { $0.contains(" for ") }
    }

    /// Feeds these bytes and takes all that comes of them.
    mutating func feed(_ bytes: ArraySlice<UInt8>) {
        guard !isOver else { return }
        parser.feed(bytes.span)
        do throws(ParseError) {
            while let event = try parser.next() {
                switch event {
                case .announced: _ = parser.admit(bodyBytes: bodyBytes)
                case .request(let request): take(request)
                }
                if isOver { return }
            }
            maxBuffered = max(maxBuffered, parser.bufferedBytes)
            result.end = parser.position == .betweenRequests ? "" : "wait"
        } catch {
            result.end = "\(error.status) \(error)"
            isOver = true
        }
    }

    private mutating func take(_ request: Request) {
        let index = result.requests.count
        let query = request.target.query.map { "?\($0)" } ?? ""
        var line = "\(request.method.token) \(request.target.path)\(query)"
        if !request.body.isEmpty { line += " " + quoted(request.body) }
        if index < showsHost.count, showsHost[index] { line += " for \(request.host ?? "nobody")" }
        result.requests.append(line + (request.head.framing.keepsAlive ? " keep-alive" : " close"))
        result.end = ""
        isOver = !request.head.framing.keepsAlive
    }
}

/// A body as one printable word.
func quoted(_ bytes: [UInt8]) -> String {
    var letters: [UInt8] = []
    for byte in bytes {
        if byte > 0x20, byte < 0x7F, byte != 0x22, byte != 0x5C {
            letters.append(byte)
        } else {
            letters += Array("\\x\(String(byte, radix: 16)).".utf8)
        }
    }
    return "\"\(String(decoding: letters, as: UTF8.self))\""
}

extension BatchResult {
    /// An expectation with its bodies and targets in the words of a reading.
    var normalized: BatchResult {
        var copy = self
        copy.requests = requests.map { line in
            let words = line.split(separator: " ", maxSplits: 2).map(String.init)
            let target = String(decoding: Notation.bytes(words[1]), as: UTF8.self)
            guard words[2].hasPrefix("\""), let end = words[2].lastIndex(of: "\"") else {
                return "\(words[0]) \(target) \(words[2])"
            }
            let body = words[2][words[2].index(after: words[2].startIndex)..<end]
            let rest = words[2][words[2].index(after: end)...]
            return "\(words[0]) \(target) \(quoted(Notation.bytes(body)))\(rest)"
        }
        return copy
    }
}
