import Testing

@testable import BeemedDomain

/// Which press is the last one.
struct LastPressTests {
    private func last(_ bench: CoreBench, _ preset: String? = nil) -> String? {
        bench.core.view.lastPress(
            of: DeviceIdentity(name: .known("button"), generation: nil), to: .known("pushups"),
            preset: preset.flatMap(PresetName.init), at: bench.now)?.id.description
    }

    @Test func `is the newest within ten minutes that is not taken back`() throws {
        var bench = try CoreBench()
        try bench.commit { $0.press(.make("1")) }
        bench.pass(seconds: 300)
        bench.press(.make("2"))
        bench.press(.make("3", goal: "water"))
        bench.press(.make("4", device: "other"))
        expect(last(bench), is: "2")
        try bench.commit()
        bench.undo("2")
        // Not on the disk yet: asked again, it is the same wish.
        expect(last(bench), is: "2")
        try bench.commit()
        expect(last(bench), is: "1")
        bench.pass(seconds: 300)
        expect(last(bench), is: "1")
        bench.pass(seconds: 1)
        expect(last(bench) == nil)
    }

    @Test func `is measured by the clock that nobody sets, and by receipt`() throws {
        var bench = try CoreBench()
        try bench.commit { $0.press(.make("1", time: .age(seconds: 86_400))) }
        bench.now.wall = bench.now.wall.adding(90_000)
        expect(last(bench), is: "1")
    }

    @Test func `of a preset is one that used it, guarded or not`() throws {
        var bench = try CoreBench()
        let rule = PresetOptions(preset: try require(PresetName("glass")), minimumInterval: 60)
        bench.press(.make("1", rule: rule))
        bench.press(.make("2", rule: rule))
        try bench.commit { $0.press(.make("3")) }
        expect(last(bench, "glass"), is: "2")
        expect(last(bench), is: "3")
    }
}
