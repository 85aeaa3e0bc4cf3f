import RelayHTTP

extension Resource {
    /// The resource that a request names.
    ///
    /// - Throws: `Problem` when it does not exist or does not allow the method.
    init(of request: Request) throws(Problem) {
        guard let resource = Resource(path: request.target.path) else {
            throw .notFound("there is nothing at this path; try POST /log/GOAL, or read /docs")
        }
        guard resource.methods.contains(request.method) else {
            if case .other(let token) = request.method, !Resource.knownMethods.contains(token) {
                throw Problem(
                    .unknownMethod, "'\(token)' is not supported; use GET, POST, PUT or DELETE")
            }
            throw .methodNotAllowed(resource.methods, hint: resource.hint(for: request.method))
        }
        self = resource
    }

    /// Registered methods that the relay does not support: 405 and not 501, which is for unknown
    /// ones (RFC 9110 section 9.1).
    private static let knownMethods: Set<String> = ["TRACE", "CONNECT", "QUERY"]
}
