@testable import BeemedDomain

/// A file of a `SimulatedDisk`: what its readers see, and what a power cut would leave.
///
/// After the manner of SQLite's test6.c: what was not synced is a list of changes, of which a
/// crash keeps a part.
struct SimulatedFile: Sendable {
    /// An unsynced change.
    private enum Change: Sendable {
        case append([UInt8])
        case truncate(Int)
        case overwrite(Int, [UInt8])

        /// Whether it changes the length, or what is beyond the bytes that it names.
        var changesEnd: Bool {
            if case .overwrite = self { false } else { true }
        }
    }

    /// The content that readers see: the page cache.
    private(set) var bytes: [UInt8] = []
    /// The content that the last successful sync made durable.
    private var durable: [UInt8] = []
    private var changes: [Change] = []
    /// Bytes that a sync failed to write. The cache counts them as clean from then on, so no later
    /// sync writes them either.
    private var forgotten: [Range<Int>] = []
    var handles = 0
    var links = 0

    var isUnsynced: Bool { !changes.isEmpty }

    var hasForgotten: Bool { !forgotten.isEmpty }

    /// Whether those bytes are in it, also after a power cut.
    func holdsDurably(_ mark: [UInt8]) -> Bool {
        guard durable.count >= mark.count else { return false }
        return (0...(durable.count - mark.count)).contains {
            durable[$0..<($0 + mark.count)].elementsEqual(mark)
        }
    }

    /// Writes over what is there, which a power cut may take back or spoil, and behind it.
    mutating func write(_ more: ArraySlice<UInt8>, at position: Int) {
        if position > bytes.count { truncate(to: position) }
        let over = Array(more.prefix(bytes.count - position))
        if !over.isEmpty {
            bytes = SimulatedFile.overwrite(bytes, at: position, with: over)
            changes.append(.overwrite(position, over))
        }
        guard over.count < more.count else { return }
        bytes += more.dropFirst(over.count)
        changes.append(.append(Array(more.dropFirst(over.count))))
    }

    mutating func truncate(to size: Int) {
        bytes = SimulatedFile.cut(bytes, to: size)
        changes.append(.truncate(size))
    }

    mutating func sync() {
        durable = bytes
        for range in forgotten {
            for index in range.clamped(to: 0..<durable.count) { durable[index] = 0 }
        }
        changes = []
    }

    mutating func failSync() {
        let range = unsyncedRange(of: bytes)
        if !range.isEmpty { forgotten.append(range) }
        changes = []
    }

    /// Replaces what is there, as if a person or a dying disk had done it.
    mutating func overwrite(_ bytes: [UInt8]) {
        self = SimulatedFile(links: links, handles: handles)
        self.bytes = bytes
        durable = bytes
    }

    init(links: Int = 0, handles: Int = 0) {
        self.links = links
        self.handles = handles
    }

    /// The number of bytes at the beginning that no unsynced change has touched.
    private var stableCount: Int {
        changes.reduce(durable.count) { count, change in
            switch change {
            case .append: count
            case .truncate(let size): min(count, size)
            case .overwrite(let position, _): min(count, position)
            }
        }
    }

    /// The part of what is there that a power cut may spoil.
    private func unsyncedRange(of image: [UInt8]) -> Range<Int> {
        let start = min(stableCount, image.count)
        guard !changes.contains(where: \.changesEnd) else { return start..<image.count }
        let end = changes.reduce(start) { end, change in
            guard case .overwrite(let position, let more) = change else { return end }
            return max(end, position + more.count)
        }
        return start..<min(end, image.count)
    }

    /// The power fails.
    mutating func crash(_ chance: inout Randomness, garbage: Bool) {
        handles = 0
        guard isUnsynced else { return bytes = durable }
        var image = durable
        // A file system keeps the order of changes to one file's length: some of the first ones.
        for change in changes.prefix(Int.random(in: 0...changes.count, using: &chance)) {
            switch change {
            case .append(let more): image += more
            case .truncate(let size): image = SimulatedFile.cut(image, to: size)
            case .overwrite(let position, let more):
                let count = Int.random(in: 0...more.count, using: &chance)
                let part = Bool.random(using: &chance) ? more : Array(more.prefix(count))
                image = SimulatedFile.overwrite(image, at: position, with: part)
            }
        }
        spoil(&image, &chance, garbage: garbage)
        bytes = image
        durable = image
        changes = []
        forgotten = []
    }

    /// Unsynced bytes come whole, cut off at any byte, or with sectors that hold zeros, random
    /// bytes or the former content.
    private func spoil(
        _ image: inout [UInt8], _ chance: inout Randomness, garbage: Bool
    ) {
        var range = unsyncedRange(of: image)
        if changes.contains(where: \.changesEnd), Bool.random(using: &chance) {
            image.removeLast(Int.random(in: 0...range.count, using: &chance))
            range = range.clamped(to: 0..<image.count)
        }
        guard garbage, Bool.random(using: &chance) else { return }
        var sector = range.lowerBound
        while sector < range.upperBound {
            let end = min(range.upperBound, (sector / 512 + 1) * 512)
            switch UInt8.random(in: 0..<9, using: &chance) {
            case 0: for index in sector..<end { image[index] = 0 }
            case 1:
                for index in sector..<end { image[index] = .random(in: 0...255, using: &chance) }
            case 2:
                for index in sector..<end where index < durable.count {
                    image[index] = durable[index]
                }
            default: break
            }
            sector = end
        }
    }

    private static func overwrite(
        _ bytes: [UInt8], at position: Int, with more: [UInt8]
    ) -> [UInt8] {
        Array(bytes.prefix(position)) + more + bytes.dropFirst(position + more.count)
    }

    private static func cut(_ bytes: [UInt8], to size: Int) -> [UInt8] {
        Array(bytes.prefix(size)) + Array(repeating: 0, count: max(0, size - bytes.count))
    }
}
