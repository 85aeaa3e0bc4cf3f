/// A line that matters: where it is, and the event that it is about.
///
/// Recovery has one for every line, so it is packed.
struct LiveLineLocation {
    private let segment: Int32
    private let length: Int32
    private let offset: Int
    private let number: UInt64

    init(place: Recovered.Place, of: SequenceNumber?) {
        // A line is short; its sign says whether it has lost its LF.
        segment = Int32(truncatingIfNeeded: place.segment)
        length = Int32(truncatingIfNeeded: place.range.count) * (place.lacksLineFeed ? -1 : 1)
        offset = place.range.lowerBound
        number = of?.value ?? 0
    }

    /// Nil for a type that a later version writes, which is kept whatever it says.
    var of: SequenceNumber? { number == 0 ? nil : SequenceNumber(number) }

    var place: Recovered.Place {
        Recovered.Place(
            segment: Int(segment), range: offset..<(offset + Int(abs(length))),
            lacksLineFeed: length < 0)
    }
}

/// Lines that are to be copied, by where they are: in order, neighbours as one stretch.
struct LineRanges: Sendable, Equatable {
    private(set) var places: [Recovered.Place] = []
    /// How many lines that are.
    private(set) var count = 0

    var bytes: Int { places.reduce(0) { $0 + $1.range.count } }

    /// Adds the line after those that are there.
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
}

/// The lines of events that are known no longer, dealt out to files of the history: each has all
/// lines of its events, so that it can be understood alone.
struct ArchiveBuilder {
    /// In the order of the events' numbers.
    private(set) var files: [LineRanges] = []
    private var firsts: [SequenceNumber] = []
    private var bytes = 0

    /// So many bytes of lines make a file, about.
    static let fileBytes = 4 << 20

    /// An event that goes. They come in the order of their numbers, all before the first line.
    mutating func expect(_ entry: Recovered.Entry) {
        if bytes == 0 || bytes > ArchiveBuilder.fileBytes {
            firsts.append(entry.number)
            bytes = 0
        }
        bytes += entry.event.lineBytes
    }

    /// A line of such an event, or one that has lost its event.
    mutating func keep(_ place: Recovered.Place, of number: SequenceNumber) {
        var (low, high) = (0, firsts.count)
        while low < high {
            let middle = (low + high) / 2
            if firsts[middle] <= number { low = middle + 1 } else { high = middle }
        }
        let file = max(0, low - 1)
        while files.count <= file { files.append(LineRanges()) }
        files[file].add(place)
    }
}
