import Foundation
import RelayHTTP

/// Finds the token in a request, in the places where devices are able to put one.
enum Credentials {
    /// The token that the head carries: as Bearer, as the password of Basic (all that
    /// `http://x:TOKEN@host/` can say), in a field of its own, or in the query.
    static func token(in request: Request) -> String? {
        if let authorization = request.fields["authorization"] {
            if let token = bearer(authorization) ?? password(authorization) { return token }
        }
        if let token = request.fields["x-relay-token"] { return token }
        guard let query = request.target.query, query.contains("token=") else { return nil }
        return FormDecoder.pairs(query).first { $0.name == "token" }?.value
    }

    private static func bearer(_ authorization: String) -> String? {
        rest(of: authorization, after: "bearer ")
    }

    private static func password(_ authorization: String) -> String? {
        guard let encoded = rest(of: authorization, after: "basic "),
            let data = Data(base64Encoded: encoded)
        else { return nil }
        let pair = String(decoding: data, as: UTF8.self)
        return pair.firstIndex(of: ":").map { String(pair[pair.index(after: $0)...]) }
    }

    /// Schemes are case-insensitive (RFC 9110 section 11.1).
    private static func rest(of text: String, after scheme: String) -> String? {
        guard text.utf8.count > scheme.utf8.count,
            text.prefix(scheme.count).lowercased() == scheme
        else { return nil }
        let token = text.dropFirst(scheme.count).drop { $0 == " " }
        return token.isEmpty ? nil : String(token)
    }
}
