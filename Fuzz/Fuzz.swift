import Foundation

@testable import RelayHTTP

/// What libFuzzer drives. `FUZZ_TARGET` chooses one of these by its name; without it each input
/// goes through all of them. A new target is a new line here.
private let targets: [String: @Sendable ([UInt8]) -> String?] = [
    "request": { Oracle.complaint(about: $0, cuts: cuts($0)) },
    "limits": { Oracle.complaint(about: $0, cuts: cuts($0), limits: tight) },
    "chunked": { Oracle.complaint(about: chunkedHead + $0, cuts: cuts($0)) },
]

private let chosen: [@Sendable ([UInt8]) -> String?] = {
    guard let name = ProcessInfo.processInfo.environment["FUZZ_TARGET"] else {
        return Array(targets.values)
    }
    guard let target = targets[name] else {
        fatalError("no target \(name); there are \(targets.keys.sorted())")
    }
    return [target]
}()

private let chunkedHead = Array(
    "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)

private let tight: Limits = {
    var limits = Limits()
    limits.headBytes = 120
    limits.requestLineBytes = 40
    limits.fieldCount = 4
    limits.bodyBytes = 12
    limits.chunkLineBytes = 16
    return limits
}()

/// Cuts that depend on nothing but the input, so that a finding replays.
private func cuts(_ bytes: [UInt8]) -> [Int] {
    var hash = 5_381
    for byte in bytes { hash = (hash &* 33 &+ Int(byte)) & 0xFFFF_FFFF }
    return [hash, hash >> 8, hash >> 16].map { $0 % (bytes.count + 64) }
}

/// libFuzzer's entry point: a trap or a complaint is a finding.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    for target in chosen {
        if let complaint = target(bytes) { fatalError("\(quoted(bytes)): \(complaint)") }
    }
    return 0
}

/// Runs once at the start: writes every case of the specification as a file, if told where to.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(_ count: UnsafePointer<CInt>?, _ arguments: UnsafeRawPointer?) -> CInt {
    guard let folder = ProcessInfo.processInfo.environment["FUZZ_SEEDS"] else { return 0 }
    for (number, spec) in SpecCase.all.enumerated() {
        let file = URL(filePath: folder).appending(path: "seed-\(number)")
        guard (try? Data(spec.bytes).write(to: file)) != nil else { fatalError("\(file.path)") }
    }
    return 0
}
