import Foundation

/// The members of a JSON object, as a test compares them.
func members(_ body: String) throws -> NSDictionary {
    let value = try JSONSerialization.jsonObject(with: Data(body.utf8))
    return value as? NSDictionary ?? [:]
}
