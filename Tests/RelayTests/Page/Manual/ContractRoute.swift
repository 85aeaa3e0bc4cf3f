/// A route as openapi.yaml states it.
struct ContractRoute: Equatable {
    let method: String
    let path: String
    let summary: String

    /// All routes but OPTIONS, which every path has, and HEAD, which GET includes. The parser
    /// relies on the contract's indentation, which `ContractTests` check against the routes.
    static func all(in contract: String) -> [ContractRoute] {
        var routes: [ContractRoute] = []
        var path = ""
        var method = ""
        for line in contract.split(separator: "\n") {
            if line.hasPrefix("  /"), line.hasSuffix(":") {
                path = String(line.dropFirst(2).dropLast())
            } else if line.hasPrefix("    "), !line.hasPrefix("     ") {
                method = line.dropFirst(4).prefix { $0 != ":" }.uppercased()
            } else if line.hasPrefix("      summary: "), method != "OPTIONS", method != "HEAD" {
                routes.append(
                    ContractRoute(
                        method: method, path: path, summary: String(line.dropFirst(15))))
            } else if line == "components:" {
                break
            }
        }
        return routes
    }
}
