import Testing

/// The properties that openapi.yaml needs so that programs can be generated from it.
struct ContractOperationTests {
    /// An operation of the contract, by path and method, with its `operationId`.
    private struct Operation {
        let name: String
        let id: String?
    }

    /// Read by the contract's indentation: two blanks a path, four a method, six its members.
    private func operations() throws -> [Operation] {
        var operations: [Operation] = []
        var path = ""
        let lines = try SourceTree.file("openapi.yaml").lines
        for (index, line) in lines.enumerated() {
            if line == "components:" { break }
            if line.hasPrefix("  /"), line.hasSuffix(":") { path = String(line) }
            guard let method = line.wholeMatch(of: /\ {4}([a-z]+):(.*)/)?.1,
                method != "parameters", !path.isEmpty
            else { continue }
            let members = lines[(index + 1)...].prefix { $0.hasPrefix("      ") }
            let id = members.first { $0.hasPrefix("      operationId: ") }
            operations.append(
                Operation(name: "\(method)\(path)", id: id.map { String($0.dropFirst(19)) }))
        }
        return operations
    }

    @Test func `every operation has an operationId of its own, in camel case`() throws {
        let operations = try operations()
        expect(operations.count >= 98)
        for operation in operations {
            let id = operation.id ?? "none"
            expect(id.wholeMatch(of: /[a-z]+([A-Z][a-z]*)+/) != nil, "\(operation.name): \(id)")
        }
        expect(Set(operations.compactMap(\.id)).count, is: operations.count)
    }

    /// openapi-python-client 0.29 stops at `const: true`, and at an enum of it without a type.
    @Test func `what is always true is said with an enum`() throws {
        let contract = try SourceTree.file("openapi.yaml").text
        expect(!contract.contains("const:"))
        expect(contract.contains("ok: {type: boolean, enum: [true]}"))
    }
}
