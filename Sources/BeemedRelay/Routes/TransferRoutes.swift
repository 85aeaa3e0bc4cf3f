import BeemedDomain
import RelayHTTP

/// All events as a file, and datapoints from one.
extension Relay {
    /// `GET /export`: every event that is known, the history included, the newest first.
    func export(_ exchange: Exchange, _ context: RequestContext) throws(Problem) -> Response? {
        let request = exchange.request
        let device = try access.authenticate(request, bodyToken: nil, devices, .manage, context)
        current.isReadOnly = true
        var format = TransferFormat.csv
        for (name, value) in FormDecoder.pairs(request.target.query ?? "") where name == "format" {
            guard let known = TransferFormat(rawValue: value) else { throw .unknownFormat }
            format = known
        }
        try beginExport(exchange, format, device, context.moment)
        return nil
    }

    /// `POST /import`: takes all datapoints of a file, or none. `GET /import`: how far that is.
    func importEvents(_ exchange: Exchange, _ context: RequestContext) throws(Problem) -> Response?
    {
        let request = exchange.request
        _ = try access.authenticate(request, bodyToken: nil, devices, .manage, context)
        guard request.method == .post else {
            current.isReadOnly = true
            return importProgress
        }
        let options = try ImportOptions(query: request.target.query)
        try beginImport(exchange, options, context.moment)
        return nil
    }
}
