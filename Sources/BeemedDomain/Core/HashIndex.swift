/// Finds the place of something by its hash: an index that knows neither keys nor values, and so
/// takes eight bytes a cell, half of them empty at most. A dictionary keeps every key beside its
/// value and hashes all of them anew whenever it grows; with a hundred thousand events that is
/// most of what it costs.
///
/// Open addressing with linear probing and without tombstones (Knuth, volume 3, section 6.4,
/// algorithm R).
struct HashIndex: Sendable {
    private struct Cell: Sendable {
        var hash: UInt32 = 0
        /// One more than the place; zero where there is none.
        var mark: UInt32 = 0
    }

    /// A power of two of them.
    private var cells: [Cell] = []
    /// How many places are in it.
    private(set) var count = 0

    /// The place under that hash of which the closure says that it is the one.
    func place(_ hash: UInt32, where isWanted: (UInt32) -> Bool) -> UInt32? {
        guard !cells.isEmpty else { return nil }
        var position = home(of: hash)
        while cells[position].mark != 0 {
            let cell = cells[position]
            if cell.hash == hash, isWanted(cell.mark - 1) { return cell.mark - 1 }
            position = next(position)
        }
        return nil
    }

    /// Adds a place, which must not be there under that hash.
    mutating func insert(_ hash: UInt32, _ place: UInt32) {
        reserve(count + 1)
        enter(Cell(hash: hash, mark: place + 1))
        count += 1
    }

    /// Removes a place, if it is there under that hash.
    mutating func remove(_ hash: UInt32, _ place: UInt32) {
        guard !cells.isEmpty else { return }
        var position = home(of: hash)
        while cells[position].mark != 0 {
            if cells[position].mark == place + 1 { return close(position) }
            position = next(position)
        }
    }

    /// Makes room for so many places.
    mutating func reserve(_ count: Int) {
        guard 2 * count > cells.count else { return }
        var size = 1_024
        while size < 2 * count { size *= 2 }
        let old = cells
        cells = Array(repeating: Cell(), count: size)
        for cell in old where cell.mark != 0 { enter(cell) }
    }

    private func home(of hash: UInt32) -> Int { Int(hash) & (cells.count - 1) }

    private func next(_ position: Int) -> Int { (position + 1) & (cells.count - 1) }

    private mutating func enter(_ cell: Cell) {
        var position = home(of: cell.hash)
        while cells[position].mark != 0 { position = next(position) }
        cells[position] = cell
    }

    /// Empties a cell, and moves up those behind it that would not be found over the gap.
    private mutating func close(_ position: Int) {
        var gap = position
        var position = next(gap)
        while cells[position].mark != 0 {
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
