import BeemedDomain
import RelayHTTP
import RelayTrunk

extension Relay {
    /// `GET /`: the page, or help to sign in.
    func home(_ call: Call) -> Response {
        guard isSignedIn(call) else { return .signInHelp }
        return Page.home.unlessKnown(KnownTags(call.request))
    }

    /// `GET /page/{file}`: a static file of the page, without data of this relay.
    func page(_ call: Call) throws(Problem) -> Response {
        guard let response = Page.files[call.name] else {
            throw .notFound("the page has no file '\(call.name.prefix(64))'; open / for the page")
        }
        return response.unlessKnown(KnownTags(call.request))
    }

    /// `POST /qr`: the QR code of the text in the body, which is kept nowhere.
    func drawCode(_ call: Call) throws(Problem) -> Response {
        guard let text = String(validating: call.request.body, as: UTF8.self), !text.isEmpty,
            let code = QRCode(text)
        else { throw .malformed("send a text of 1 to 213 bytes of UTF-8") }
        return .json(
            JSONWriter.object { json in
                json.add("size", Int64(code.size + 8))
                json.add("path", code.path)
            })
    }
}
