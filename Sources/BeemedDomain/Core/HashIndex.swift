/// Finds a position by hash: an index without keys and values, with eight bytes per cell, at most
/// half of them used. A dictionary stores every key beside its value and rehashes all of them when
/// it grows; with a hundred thousand events that is most of its cost.
///
/// Open addressing with linear probing and without tombstones (Knuth, volume 3, section 6.4,
/// algorithm R).
struct HashIndex: Sendable {
    private struct Cell: Sendable {
        var hash: UInt32 = 0
        /// The position plus one; zero for an empty cell.
        var placePlusOne: UInt32 = 0
    }

    /// The cells; their number is a power of two.
    private var cells: [Cell] = []
    /// The number of positions.
    private(set) var count = 0

    /// The position under that hash that the closure accepts.
    func place(_ hash: UInt32, where isWanted: (UInt32) -> Bool) -> UInt32? {
        guard !cells.isEmpty else { return nil }
        var position = home(of: hash)
        while cells[position].placePlusOne != 0 {
            let cell = cells[position]
            if cell.hash == hash, isWanted(cell.placePlusOne - 1) { return cell.placePlusOne - 1 }
            position = next(position)
        }
        return nil
    }

    /// Adds a position, which must not be there under that hash.
    mutating func insert(_ hash: UInt32, _ place: UInt32) {
        reserve(count + 1)
        enter(Cell(hash: hash, placePlusOne: place + 1))
        count += 1
    }

    /// Removes a position, if it is there under that hash.
    mutating func remove(_ hash: UInt32, _ place: UInt32) {
        guard !cells.isEmpty else { return }
        var position = home(of: hash)
        while cells[position].placePlusOne != 0 {
            if cells[position].placePlusOne == place + 1 { return close(position) }
            position = next(position)
        }
    }

    /// Reserves capacity for this many positions.
    @inline(__always)
    mutating func reserve(_ count: Int) {
        if 2 * count > cells.count { grow(to: count) }
    }

    private mutating func grow(to count: Int) {
        var size = 1_024
        while size < 2 * count { size *= 2 }
        let old = cells
        cells = Array(repeating: Cell(), count: size)
        for cell in old where cell.placePlusOne != 0 { enter(cell) }
    }

    private func home(of hash: UInt32) -> Int { Int(hash) & (cells.count - 1) }

    private func next(_ position: Int) -> Int { (position + 1) & (cells.count - 1) }

    private mutating func enter(_ cell: Cell) {
        var position = home(of: cell.hash)
        while cells[position].placePlusOne != 0 { position = next(position) }
        cells[position] = cell
    }

    /// Empties a cell, and moves later cells that would not be found across the gap.
    private mutating func close(_ position: Int) {
        var gap = position
        var position = next(gap)
        while cells[position].placePlusOne != 0 {
            let distance = (position - home(of: cells[position].hash)) & (cells.count - 1)
            if distance >= (position - gap) & (cells.count - 1) {
                cells[gap] = cells[position]
                gap = position
            }
            position = next(position)
        }
        cells[gap] = Cell()
        count -= 1
    }
}
