import BeemedDomain
import RelayHTTP

extension Relay {
    /// `GET /settings`: each setting's value, and where it came from. For the owner.
    var settingList: Response {
        .json(
            JSONWriter.object { json in
                json.addArray("settings") { list in
                    for origin in settings.origins {
                        list.object { json in
                            json.add("name", origin.name)
                            json.add("value", origin.value)
                            json.add("from", origin.from.rawValue)
                        }
                    }
                }
            })
    }
}
