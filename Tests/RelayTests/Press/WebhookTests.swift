import BeemedDomain
import Testing

@testable import RelayTrunk

/// Bodies that other programs send by themselves: most tell of an event, and count as 1; a body
/// that evidently states a number which the relay does not read is refused.
struct WebhookTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var sender: String
        var body: String
        var testDescription: String { "\(sender): \(body)" }

        init(_ sender: String, _ body: String) { (self.sender, self.body) = (sender, body) }
    }

    private static let device = Device.known("hook")

    private func press(_ body: String, query: String? = nil) throws -> Press {
        let fields = try BodyReader.parse(Array(body.utf8))
        if let query { fields.fill(from: try BodyReader.form(query)) }
        fields.settle(Array(body.utf8))
        return try Press(fields, path: "water", from: WebhookTests.device, PresetBook())
    }

    static let events = [
        Case("nothing", "{}"), Case("a door", #"{"door_state":1,"old_value":0}"#),
        Case("Home Assistant", #"{"entity_id":"binary_sensor.door","state":"on"}"#),
        Case(
            "Home Assistant",
            #"{"event_type":"state_changed","data":{"entity_id":"light.x","new_state":{"#
                + #""state":"on","attributes":{"brightness":120,"supported_features":40}}}}"#),
        Case(
            "Home Assistant, Z-Wave",
            #"{"event":"value_notification","data":{"value":"KeyPressed","value_raw":0}}"#
        ),
        Case(
            "Home Assistant, Geofency",
            #"{"id":"6F1","name":"Gym","entry":"1","date":"2026-11-27T08:00:00Z","#
                + #""latitude":52.5,"longitude":13.4,"device":"ABC"}"#),
        Case("Node-RED", #"{"_msgid":"a1b2.c3","payload":"on","topic":"door"}"#),
        Case("n8n", #"{"headers":{"host":"x"},"query":{},"body":{"event":"done"}}"#),
        Case("IFTTT", #"{"value1":"milk","value2":"","value3":""}"#),
        Case(
            "GitHub",
            #"{"action":"opened","number":42,"pull_request":{"id":7,"number":42,"state":"open","#
                + #""comments":0,"labels":[{"id":1,"name":"bug"}]},"repository":{"id":1,"#
                + #""open_issues_count":3},"sender":{"id":5}}"#),
        Case(
            "GitHub", #"{"ref":"refs/heads/main","commits":[{"id":"a"}],"size":1}"#),
        Case("GitHub, as a form", "payload=%7B%22action%22%3A%22opened%22%2C%22number%22%3A42%7D"),
        Case(
            "Shelly",
            #"{"src":"shellyplus1-a8","dst":"x","method":"NotifyEvent","params":{"ts":1795700172,"#
                + #""events":[{"component":"input:0","id":0,"event":"single_push","ts":1.5}]}}"#),
        Case("Tasmota", #"{"Button1":{"Action":"SINGLE"}}"#), Case("Tasmota", #"{"POWER":"ON"}"#),
        Case("Tasmota", #"{"Time":"2026-11-27T08:00:00","COUNTER":{"C1":5,"C2":0}}"#),
        Case("ESPHome", #"{"id":"binary_sensor-door","state":"ON"}"#),
        Case("Zigbee2MQTT", #"{"action":"single","battery":97,"linkquality":120,"voltage":3000}"#),
        Case("Zigbee2MQTT", #"{"contact":false}"#),
        Case("iSpindel", #"{"name":"iSpindel","ID":4711,"angle":25.1,"battery":3.9,"RSSI":-60}"#),
        Case(
            "Traccar",
            #"{"position":{"id":1,"deviceId":2,"attributes":{"battery":80}},"device":{"id":2},"#
                + #""event":{"id":3,"type":"geofenceEnter","attributes":{}}}"#),
        Case("OwnTracks", #"{"_type":"transition","event":"enter","desc":"gym","tst":1795700172}"#),
        Case(
            "OwnTracks", #"{"_type":"location","lat":52.5,"lon":13.4,"tst":1795700172,"batt":80}"#),
        Case(
            "Tally",
            #"{"eventType":"FORM_RESPONSE","data":{"fields":[{"label":"?","value":"yes"}]}}"#),
        Case(
            "Typeform",
            #"{"event_type":"form_response","form_response":{"answers":[{"type":"text","#
                + #""text":"yes","field":{"id":"x"}}]}}"#),
        Case("Stripe", #"{"id":"evt_1","type":"customer.created","data":{"object":{"id":"c"}}}"#),
        Case(
            "Particle",
            #"{"event":"press","data":"pressed","published_at":"2026-11-27T08:00:00.000Z"}"#),
        Case(
            "The Things Network",
            #"{"end_device_ids":{"device_id":"b"},"uplink_message":{"f_port":1,"f_cnt":5,"#
                + #""decoded_payload":{"button":"single"}}}"#),
        Case("Telegram", #"{"update_id":1,"message":{"message_id":2,"text":"done"}}"#),
        Case(
            "Todoist", #"{"event_name":"item:completed","event_data":{"id":"1","content":"Run"}}"#),
        Case(
            "Strava", #"{"aspect_type":"create","object_id":1360128,"owner_id":5,"updates":{}}"#),
        Case("a sketch", #"{"goal":"water","battery":97}"#), Case("a sketch", #"{"pressed":true}"#),
        Case("a sketch", #"{"id":"17","battery":97}"#), Case("a sketch", "mac=a1&action=1"),
    ]

    @Test(arguments: events)
    func `an event of another program is 1`(_ row: Case) throws {
        let press = try press(row.body)
        expect(press.value == 1 && press.isValueImplied)
    }

    static let numbers = [
        Case("a wrapper", #"{"data":{"value":3}}"#), Case("a wrapper", #"{"payload":{"qty":"2"}}"#),
        Case("a wrapper", #"{"event":{"goal":"water","count":3}}"#),
        Case("a wrapper", #"{"body":"{\"value\":3}"}"#),
        Case("a wrapper", #"{"a":[[{"Value":0}]]}"#),
        Case("a wrapper", #"{"goal":"water","data":{"number":3,"comment":"x"}}"#),
        Case("Home Assistant", #"{"entity_id":"counter.pushups","state":"12"}"#),
        Case("Node-RED", #"{"_msgid":"a1b2.c3","payload":2,"topic":""}"#),
        Case("Node-RED", #"{"_msgid":"a1b2.c3","payload":1795700172803,"topic":""}"#),
        Case("Node-RED", #"{"payload":"1,5","topic":"x"}"#), Case("Node-RED", #"{"payload":2}"#),
        Case("Node-RED", "payload=2"),
        Case("n8n", #"{"headers":{"host":"x"},"query":{},"body":{"value":3,"unit":"ml"}}"#),
        Case("IFTTT", #"{"value1":"3","value2":"","value3":""}"#),
        Case("Tasmota", #"{"COUNTER":{"C1":5}}"#), Case("Zigbee2MQTT", #"{"battery":97}"#),
        Case(
            "Tally",
            #"{"eventType":"FORM_RESPONSE","data":{"fields":[{"label":"?","value":3}]}}"#),
        Case("Stripe", #"{"id":"e","type":"charge","data":{"object":{"id":"c","amount":2000}}}"#),
        Case("Adafruit IO", #"{"datum":{"value":"3"}}"#),
        Case("Adafruit IO", #"{"location":{},"feeds":[{"key":"pushups","value":"3"}]}"#),
        Case("Zapier", "data[value]=3&source=x"), Case("Rails", "press[amount]=3&commit=Log"),
        Case("ThingSpeak", "api_key=X&field1=5"),
        Case("ThingSpeak", #"{"api_key":"X","field1":5}"#),
        Case(
            "Particle", #"{"event":"steps","data":"3","published_at":"2026-11-27T08:00:00.000Z"}"#),
        Case(
            "The Things Network",
            #"{"end_device_ids":{"device_id":"b"},"uplink_message":{"f_cnt":5,"#
                + #""decoded_payload":{"value":3,"battery":97}}}"#),
        Case("Telegram", #"{"update_id":1,"message":{"message_id":2,"text":"3"}}"#),
        Case("Slack", "payload=%7B%22actions%22%3A%5B%7B%22value%22%3A%223%22%7D%5D%7D"),
        Case(
            "Health Auto Export",
            #"{"data":{"metrics":[{"name":"step_count","data":[{"qty":1234,"source":"x"}]}]}}"#),
        Case("a sketch", #"{"steps":9000}"#), Case("a sketch", "steps=9000"),
        Case("a sketch", #"{"vlaue":"2.5","token":"br_x"}"#), Case("a sketch", #"{"data":[5]}"#),
        Case("a sketch", "--b\r\nContent-Disposition: form-data; name=reps\r\n\r\n12\r\n--b--\r\n"),
        Case("a sketch", #"{"datapoints":[{"steps":5}]}"#), Case("a sketch", "5="),
        Case("a sketch", "-0.25=&goal=water"), Case("a sketch", #"{"5":""}"#),
    ]

    @Test(arguments: numbers)
    func `a number that is said and not read is 1 only if the address says so`(_ row: Case) throws {
        let problem = #expect(throws: Problem.self) { try press(row.body) }
        expect(problem?.code, is: .unusableValue)
        expect(problem?.detail.contains("?value=1"), is: true, "\(problem?.detail ?? "")")
        let named = try press(row.body, query: "value=1")
        expect(named.value == 1 && !named.isValueImplied)
    }

    @Test(arguments: [
        Case("Adafruit IO", #"{"feed_id":1,"feed_key":"x","value":"3","created_at":"2026"}"#),
        Case("ESPHome", #"{"id":"sensor-pushups","state":"3","value":3}"#),
        Case("Zapier", #"{"value":"3","zap":{"value":7}}"#), Case("Node-RED", "3"),
    ])
    func `a value that is named so is read beside all others`(_ row: Case) throws {
        try expect(press(row.body).value, is: 3)
    }

    @Test func `a number in a query that is not a value's name is not one`() throws {
        for query in ["_=1795700172803", "hum=48&temp=21.5", "utm_source=7", "1795700172803"] {
            try expect(press("", query: query).value, is: 1)
        }
        for query in ["value1=3", "payload=2", "amount=2&x=1"] {
            #expect(throws: Problem.self) { try press("", query: query) }
        }
    }

    @Test func `an address with names of ours makes no id of another program's`() throws {
        let body = #"{"id":"home","event":"enter"}"#
        for query in ["goal=water&comment=gym", "timestamp="] {
            try expect(press(body, query: query).id?.description != "home")
        }
        try expect(press("", query: "id=home&goal=water&hum=40").id?.description, is: "home")
        let button = #"{"id":"40","rssi":-60}"#
        try expect(press(button, query: "ts=1795700172").id?.description, is: "40")
    }

    @Test(arguments: [
        "br_0123456789abcdefghjkmnpqrstvwxyz", "e" + String(repeating: "\u{301}", count: 2_000),
        String(repeating: "x", count: 2_000),
    ])
    func `a name is shown without secrets, and cut`(_ name: String) throws {
        let problem = #expect(throws: Problem.self) { try press("\(name)=1") }
        let detail = try require(problem?.detail)
        expect(!detail.contains("br_01") && detail.utf8.count < 250)
    }

    @Test func `a time under another name is told its own`() {
        let problem = #expect(throws: Problem.self) { try press(#"{"time":1795700172}"#) }
        expect(problem?.detail.contains("'timestamp'"), is: true)
    }

    @Test func `JSON that is nested too deep is none`() {
        let body = String(repeating: "[", count: 33) + String(repeating: "]", count: 33)
        let problem = #expect(throws: Problem.self) { try press(#"{"x":\#(body)}"#) }
        expect(problem?.code, is: .malformed)
    }

    @Test func `texts that only begin like an object are texts`() throws {
        for text in [#"{\"value\":"#, "{{x}}", "{} x"] {
            try expect(press(#"{"a":"\#(text)","b":5}"#).value, is: 1)
        }
        let deep = String(repeating: #"{"a":"#, count: 5_000)
        try expect(press(#"{"a":"\#(deep.replacing("\"", with: "\\\""))","b":5}"#).value, is: 1)
    }
}
