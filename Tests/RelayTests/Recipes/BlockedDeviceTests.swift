import Foundation
import Testing

@testable import BeemedRelay

/// Devices that a request holds up: presses are counted in an interrupt or a timer meanwhile.
@Suite(.timeLimit(.minutes(2))) struct BlockedDeviceTests {
    private static let recipes = SourceTree.root + "/recipes"
    private static let boards = SourceTree.root + "/Tests/RelayTests/Recipes/arduino"
    private static let isCompilerWanted = Tool.isWanted("g++")
    private static let isPythonWanted = Tool.isWanted("python3")

    /// Compiles a program against the simulated board.
    private func compile(_ arguments: [String]) throws -> (code: Int32, output: String) {
        try #require(Tool("g++")).run(
            ["-std=c++17", "-Wall", "-Wextra", "-Werror", "-I", BlockedDeviceTests.boards]
                + arguments)
    }

    /// 500 presses in a row, a silent relay, a loss of power, full flash, writes that fail, and
    /// refusals; the cases are in `lives.cpp`.
    @Test(.enabled(if: isCompilerWanted, "g++ is missing"))
    func `the sketch for the ESP32 sends every press once, whatever its board lives through`()
        throws
    {
        let folder = TemporaryFolder()
        try FileManager.default.createDirectory(
            atPath: folder.path, withIntermediateDirectories: true)
        let program = folder.path + "/lives"
        let sketch = "-DSKETCH=\"\(BlockedDeviceTests.recipes)/esp32-arduino.ino\""
        let made = try compile([sketch, BlockedDeviceTests.boards + "/lives.cpp", "-o", program])
        #expect(made.code == 0, "\(made.output)")
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: program)
        process.standardError = output
        try process.run()
        let words = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(String(decoding: words, as: UTF8.self))")
    }

    /// The lines to copy, as a reader of the manual gets them.
    private func manualSnippet() throws -> String {
        let page = try SourceTree.file("Sources/BeemedRelay/Manual/manual.html").text
        let section = try #require(page.split(separator: "<section id=\"arduino\"").last)
        let code = try #require(section.firstMatch(of: /(?s)<pre><code>(.*?)<\/code>/)?.1)
        return code.replacing("&lt;", with: "<").replacing("&gt;", with: ">")
            .replacing("&amp;", with: "&").replacing("[[", with: "").replacing("]]", with: "")
    }

    @Test(
        .enabled(if: isCompilerWanted, "g++ is missing"),
        arguments: ["-DESP8266", "-DESP32"])
    func `the manual's lines for Arduino compile for both families`(_ family: String) throws {
        let folder = TemporaryFolder()
        try FileManager.default.createDirectory(
            atPath: folder.path, withIntermediateDirectories: true)
        let path = folder.path + "/snippet.cpp"
        try ("#include <Arduino.h>\n" + manualSnippet()).write(
            toFile: path, atomically: false, encoding: .utf8)
        let made = try compile([family, "-c", path, "-o", folder.path + "/snippet.o"])
        #expect(made.code == 0, "\(made.output)")
    }

    /// What `Button` of micropython.py makes of edges, each a time in milliseconds and the level
    /// after it; "loop" is where the loop runs again.
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
        let result = try #require(Tool("python3")).run(["-c", setup + lines])
        #expect(result.code == 0, "\(result.output)")
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
            print(button.times, button.take(), button.take(), button.take(), button.take())
            """)
        #expect(counted == "[1000, 1300, 1600] 5 4 4 None")
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
        #expect(counted == "[1000, 2000, 3000] False")
    }
}
