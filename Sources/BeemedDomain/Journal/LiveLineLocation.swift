/// The location of a live line and the number of its event.
///
/// Recovery keeps one for every line, so it is packed.
struct LiveLineLocation: Sendable {
    private let segment: Int32
    private let length: Int32
    private let offset: Int
    private let number: UInt64

    init(place: Recovered.Place, of: SequenceNumber?) {
        // A line is short; the sign of the length says whether its LF is missing.
        segment = Int32(truncatingIfNeeded: place.segment)
        length = Int32(truncatingIfNeeded: place.range.count) * (place.lacksLineFeed ? -1 : 1)
        offset = place.range.lowerBound
        number = of?.value ?? 0
    }

    /// Nil for a type written by a later version, which is always kept.
    var of: SequenceNumber? { number == 0 ? nil : SequenceNumber(number) }

    var place: Recovered.Place {
        Recovered.Place(
            segment: Int(segment), range: offset..<(offset + Int(abs(length))),
            lacksLineFeed: length < 0)
    }
}

/// Ranges of lines to be copied, in order; adjacent lines form one range.
struct LineRanges: Sendable, Equatable {
    private(set) var places: [Recovered.Place] = []
    /// The number of lines.
    private(set) var count = 0

    var bytes: Int { places.reduce(0) { $0 + $1.range.count } }

    /// Adds a line after the others.
    mutating func add(_ place: Recovered.Place) {
        count += 1
        if let last = places.last, last.segment == place.segment, !last.lacksLineFeed,
            last.range.upperBound == place.range.lowerBound
        {
            places[places.count - 1].range = last.range.lowerBound..<place.range.upperBound
            places[places.count - 1].lacksLineFeed = place.lacksLineFeed
        } else {
            places.append(place)
        }
    }

    /// These and other lines, both in the order of the files: a later record of an event counts
    /// only if it is read after the earlier ones.
    func merged(with lines: [Recovered.Place]) -> LineRanges {
        var result = LineRanges()
        var rest = lines[...]
        for place in places {
            while let line = rest.first, line.isBefore(place) {
                result.add(line)
                rest = rest.dropFirst()
            }
            result.add(place)
        }
        for line in rest { result.add(line) }
        result.count = count + lines.count
        return result
    }
}

/// Distributes the lines of forgotten events over history files. Each file has all lines of its
/// events, so that it can be read alone.
struct ArchiveBuilder: Sendable {
    /// The files, in the order of the events' numbers.
    private(set) var files: [LineRanges] = []
    private var firsts: [SequenceNumber] = []
    private var bytes = 0

    /// The approximate size of a file, in bytes.
    static let fileBytes = 4 << 20

    /// Counts the bytes of an event that leaves: about in the order of numbers, all before the
    /// first line.
    mutating func expect(_ number: SequenceNumber, bytes: Int) {
        if firsts.last.map({ self.bytes > ArchiveBuilder.fileBytes && number > $0 }) ?? true {
            firsts.append(number)
            self.bytes = 0
        }
        self.bytes += bytes
    }

    /// Adds a line of such an event, or one without an event.
    mutating func keep(_ place: Recovered.Place, of number: SequenceNumber) {
        let file = max(0, firsts.partitioningIndex { $0 > number } - 1)
        while files.count <= file { files.append(LineRanges()) }
        files[file].add(place)
    }
}
