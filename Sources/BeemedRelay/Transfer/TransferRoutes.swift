import BeemedDomain
import RelayHTTP
import RelayTrunk

/// All events as a file, and datapoints from one.
extension Relay {
    /// `GET /export`: every event that is known, the history included, the newest first.
    func export(_ call: Call, _ device: Device) throws(Problem) -> Response? {
        var format = TransferFormat.csv
        for (name, value) in FormDecoder.pairs(call.request.target.query ?? "")
        where name == "format" {
            guard let known = TransferFormat(rawValue: value) else { throw .unknownFormat }
            format = known
        }
        try beginExport(call, format, device)
        return nil
    }

    /// `POST /import`: takes all datapoints of a file, or none.
    func importEvents(_ call: Call) throws(Problem) -> Response? {
        guard !call.request.body.isEmpty else {
            throw .malformed("the body is empty; send the lines of a CSV or JSONL file")
        }
        let options = try ImportOptions(query: call.request.target.query)
        try beginImport(call, options)
        return nil
    }
}
