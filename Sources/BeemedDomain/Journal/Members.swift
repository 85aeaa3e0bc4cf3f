/// The members of an object in the journal, each of them read when it is asked for: those that a
/// later version has added are not looked at.
struct Members {
    private let json: ArraySlice<UInt8>
    private var values: [Member] = []

    private struct Member {
        /// Where the name stands, as it is written between its quotes.
        let name: Range<Int>
        /// Where the value begins.
        let start: Int
    }

    /// Finds the members of the object that begins there, and checks that they are JSON.
    ///
    /// - Parameter isAll: whether nothing may follow.
    init(_ json: ArraySlice<UInt8>, isAll: Bool = true) throws(JSONReader.Fault) {
        self.json = json
        var reader = JSONReader(json)
        values.reserveCapacity(16)
        if try reader.begin(.object) {
            repeat {
                values.append(Member(name: try reader.skipName(), start: reader.position))
                try reader.skip()
            } while try reader.another(in: .object)
        }
        if isAll { try reader.expectEnd() }
    }

    /// Compares the bytes: no relay escapes these names, and to make texts of them all took a
    /// seventh of a start.
    private subscript(_ name: StaticString) -> JSONReader? {
        let length = name.utf8CodeUnitCount
        let bytes = unsafe UnsafeBufferPointer(start: name.utf8Start, count: length)
        let wanted = unsafe Span(_unsafeElements: bytes)
        for value in values where value.name.upperBound - value.name.lowerBound == length {
            if wanted.equals(json.span, from: value.name.lowerBound - json.startIndex) {
                return JSONReader(json[value.start...])
            }
        }
        return nil
    }

    // Values that may be missing.

    func text(_ name: StaticString) throws(JSONReader.Fault) -> String? {
        var value = self[name]
        return try value?.string()
    }

    /// A text that must be a name of that kind.
    func name<Name>(
        _ name: StaticString, _ make: (String) -> Name?
    ) throws(JSONReader.Fault) -> Name? {
        guard let text = try text(name) else { return nil }
        return try need(make(text))
    }

    func texts(_ name: StaticString) throws(JSONReader.Fault) -> [String: String] {
        var (value, texts) = (self[name], [String: String]())
        try value?.members { (name, value) throws(JSONReader.Fault) in
            texts[name] = try value.string()
        }
        return texts
    }

    func integer(_ name: StaticString) throws(JSONReader.Fault) -> Int64? {
        var value = self[name]
        return try value?.integer()
    }

    func count(_ name: StaticString) throws(JSONReader.Fault) -> Int? {
        guard let value = try integer(name) else { return nil }
        guard (0..<1 << 31).contains(value) else { throw JSONReader.Fault() }
        return Int(value)
    }

    /// The number of a record. A number that leaves too few for more records was never written.
    func number(_ name: StaticString) throws(JSONReader.Fault) -> SequenceNumber? {
        guard let value = try integer(name) else { return nil }
        guard (1..<1 << 52).contains(value) else { throw JSONReader.Fault() }
        return SequenceNumber(UInt64(value))
    }

    func double(_ name: StaticString) throws(JSONReader.Fault) -> Double? {
        var value = self[name]
        return try value?.double()
    }

    /// Absent is false.
    func flag(_ name: StaticString) throws(JSONReader.Fault) -> Bool {
        var value = self[name]
        return try value?.flag() ?? false
    }

    /// A time that a relay's clock can have been: no other was ever written.
    func time(_ name: StaticString) throws(JSONReader.Fault) -> UnixTime? {
        guard let time = try integer(name).map({ UnixTime($0) }) else { return nil }
        guard UnixTime.recordable.contains(time) else { throw JSONReader.Fault() }
        return time
    }

    func members(_ name: StaticString) throws(JSONReader.Fault) -> Members? {
        guard let value = self[name] else { return nil }
        return try Members(json[value.position...], isAll: false)
    }
}

/// The value of a member that must be there.
func need<Value>(_ value: Value?) throws(JSONReader.Fault) -> Value {
    guard let value else { throw JSONReader.Fault() }
    return value
}
