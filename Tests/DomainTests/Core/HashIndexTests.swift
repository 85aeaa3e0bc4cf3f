/// An index must find what was put in and nothing else, however hashes collide.
import Testing

@testable import BeemedDomain

@Suite struct HashIndexTests {
    /// Few hashes, all with the same home, or all different.
    @Test(arguments: [1, 7, 64, UInt32.max])
    func `finds what was put in, and nothing else`(_ hashes: UInt32) {
        var chance = Randomness(seed: UInt64(hashes))
        var index = HashIndex()
        var model: [UInt32: UInt32] = [:]
        for place in 0..<4_000 as Range<UInt32> {
            let hash = UInt32.random(in: 0..<hashes, using: &chance)
            index.insert(hash, place)
            model[place] = hash
            guard place % 3 == 0, let gone = model.keys.randomElement(using: &chance),
                let itsHash = model.removeValue(forKey: gone)
            else { continue }
            index.remove(itsHash, gone)
            #expect(index.place(itsHash) { $0 == gone } == nil)
        }
        #expect(index.count == model.count)
        for (place, hash) in model {
            #expect(index.place(hash) { $0 == place } == place)
        }
    }

    @Test func `what is not there is neither found nor removed`() {
        var index = HashIndex()
        #expect(index.place(1) { _ in true } == nil)
        index.remove(1, 0)
        index.insert(1, 5)
        index.remove(1, 4)
        index.remove(2, 4)
        #expect(index.count == 1)
        #expect(index.place(2) { _ in true } == nil)
        #expect(index.place(1) { _ in false } == nil)
        #expect(index.place(1) { $0 == 5 } == 5)
    }
}
