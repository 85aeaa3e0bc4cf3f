import Foundation
import Testing

/// Devices that a request holds up: presses are counted in an interrupt or a timer meanwhile. The
/// sketch for the ESP32 is compiled and run by `make contract`.
struct BlockedDeviceTests {
    private static let recipes = SourceTree.root + "/recipes"
    private static let isPythonWanted = Tool.isWanted("python3")

    /// The output of lines that use `Button` of micropython.py: `edge` takes a time in milliseconds
    /// and the level after that; `loop` takes the time at which the loop runs again.
    private func presses(_ lines: String) throws -> String {
        let setup = """
            import sys
            sys.path.insert(0, "\(BlockedDeviceTests.recipes)")
            sys.dont_write_bytecode = True
            import micropython as board
            clock, level = [0], [1]
            button = board.Button(lambda: level[0], lambda: clock[0], lambda a, b: a - b)
            def edge(at, now):
                clock[0], level[0] = at, now
                button.edge()
            def loop(at):
                clock[0] = at
                button.settle()

            """
        let result = try require(Tool("python3")).run(["-c", setup + lines])
        expect(result.code, is: 0, "\(result.output)")
        return result.output.trimmingCharacters(in: .newlines)
    }

    @Test(.enabled(if: isPythonWanted, "python3 is missing"))
    func `MicroPython counts a press whose contacts bounce once, at its own time`() throws {
        let counted = try presses(
            """
            for start in (1000, 1300, 1600):
                for offset, now in ((0, 0), (1, 1), (3, 0), (90, 1), (91, 0), (94, 1)):
                    edge(start + offset, now)
            clock[0] = 6000  # The loop was held up by a request.
            loop(6000)
            print(list(button.times), button.take(), button.take(), button.take(), button.take())
            """)
        expect(counted, is: "[1000, 1300, 1600] 5 4 4 None")
    }

    @Test(.enabled(if: isPythonWanted, "python3 is missing"))
    func `MicroPython is not confused for long by an edge that it missed`() throws {
        let counted = try presses(
            """
            edge(1000, 0)  # Down; the edge of the release never came.
            level[0] = 1
            loop(1500)
            edge(2000, 0); edge(2100, 1)
            level[0] = 0  # Down without an edge.
            loop(3000)
            edge(3100, 1)
            loop(3200)
            print(button.times, button.is_down)
            """)
        expect(counted, is: "[1000, 2000, 3000] False")
    }
}
