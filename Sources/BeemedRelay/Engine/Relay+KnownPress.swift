import BeemedDomain
import RelayHTTP

extension Relay {
    /// Takes a press whose request is like one that came before it on its connection: it need not
    /// be read again.
    ///
    /// - Returns: false for any other request, which is to be routed.
    func acceptKnown(_ call: Call) throws(Problem) -> Bool {
        guard let route = call.known.pressRoute,
            let known = call.known.press.press(of: call.request.body, on: readingBasis)
        else { return false }
        call.route = route
        call.isPress = true
        call.showsContent = true
        call.device = known.device.name
        access.recordSeen(known.device, call.context)
        try access.permit(known.device, .log, call.context)
        call.reading = known.reading
        engine.submit(known.press, reply: .request(call), at: call.moment)
        return true
    }

    /// What a press depends on besides its request.
    var readingBasis: KnownPress.Basis {
        KnownPress.Basis(devices: access.devices.revision, presets: books.presetRevision)
    }
}
