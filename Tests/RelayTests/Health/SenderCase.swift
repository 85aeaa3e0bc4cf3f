import Testing

/// A body as a sender sends it, and the values by day that a rule makes of the body.
struct SenderCase: Sendable, CustomTestStringConvertible {
    var name: String
    var body: String
    /// The rule as JSON.
    var rule: String
    /// The value by day.
    var days: [String: Double]
    /// How Health Auto Export has summarised, as its head says; nil when not stated.
    var summary: String?

    var testDescription: String { name }

    static let all = autoExport + sleep + healthConnect + openWearables + plain

    // MARK: Health Auto Export

    private static let steps = #"{"metric":"steps","goal":"walk"}"#

    private static let autoExport = [
        SenderCase(
            name: "Health Auto Export: steps by day, yesterday and today",
            body: #"""
                {"data":{"metrics":[{"name":"step_count","units":"count","data":[
                {"date":"2026-11-21 00:00:00 +0100","qty":10432,"source":"iPhone von Jan|Watch"},
                {"date":"2026-11-22 00:00:00 +0100","qty":8123.4000000001,"source":"iPhone von Jan"}
                ]}],"workouts":[]}}
                """#, rule: steps, days: ["20261121": 10_432, "20261122": 8_123.4]),
        SenderCase(
            name: "Health Auto Export: steps by the hour are summed",
            body: #"""
                {"data":{"metrics":[{"name":"step_count","units":"count","data":[
                {"date":"2026-11-22 00:00:00 +0100","qty":12,"source":"Watch"},
                {"date":"2026-11-22 08:00:00 +0100","qty":1000,"source":"Watch"},
                {"date":"2026-11-22 09:00:00 +0100","qty":500.5,"source":"Watch"}]}]}}
                """#, rule: steps, days: ["20261122": 1_512.5]),
        SenderCase(
            name: "Health Auto Export: the civil day is that of the sample, not that of the user",
            body: #"""
                {"data":{"metrics":[{"name":"step_count","units":"count","data":[
                {"date":"2026-11-21 23:30:00 -0800","qty":7,"source":"Watch"}]}]}}
                """#, rule: steps, days: ["20261121": 7]),
        SenderCase(
            name: "Health Auto Export: a clock of twelve hours",
            body: #"""
                {"data":{"metrics":[{"name":"weight_body_mass","units":"lb","data":[
                {"date":"2026-11-22 7:05:00 AM +0100","qty":154,"source":"Scale"},
                {"date":"2026-11-22 11:05:00 PM +0100","qty":155,"source":"Scale"}]}]}}
                """#, rule: #"{"metric":"weight","goal":"weight","unit":"kg"}"#,
            days: ["20261122": 70.306817]),
        SenderCase(
            name: "Health Auto Export: heart rate",
            body: #"""
                {"data":{"metrics":[{"name":"heart_rate","units":"count/min","data":[
                {"date":"2026-11-22 10:00:00 +0100","Min":60,"Avg":70,"Max":90,"source":"Watch"},
                {"date":"2026-11-22 11:00:00 +0100","Min":58,"Avg":80,"Max":130,"source":"Watch"}
                ]}]}}
                """#, rule: #"{"metric":"heart_rate","goal":"heart"}"#, days: ["20261122": 75]),
        SenderCase(
            name: "Health Auto Export: the greatest heart rate",
            body: #"""
                {"data":{"metrics":[{"name":"heart_rate","units":"count/min","data":[
                {"date":"2026-11-22 10:00:00 +0100","Min":60,"Avg":70,"Max":90,"source":"Watch"},
                {"date":"2026-11-22 11:00:00 +0100","Min":58,"Avg":80,"Max":130,"source":"Watch"}
                ]}]}}
                """#,
            rule: #"{"metric":"heart_rate","goal":"heart","field":"max","aggregate":"max"}"#,
            days: ["20261122": 130]),
        SenderCase(
            name: "Health Auto Export: energy in kilojoules, wanted in kilocalories",
            body: #"""
                {"data":{"metrics":[{"name":"active_energy","units":"kJ","data":[
                {"date":"2026-11-22 00:00:00 +0100","qty":2092,"source":"Watch"}]}]}}
                """#, rule: #"{"metric":"active_energy","goal":"move","unit":"kcal"}"#,
            days: ["20261122": 500]),
        SenderCase(
            name: "Health Auto Export: workouts count with their minutes",
            body: workouts, rule: #"{"metric":"workouts","goal":"gym","unit":"min"}"#,
            days: ["20261122": 55]),
        SenderCase(
            name: "Health Auto Export: how many runs", body: workouts,
            rule: #"{"metric":"workouts","goal":"run","when":"run","aggregate":"count"}"#,
            days: ["20261122": 1]),
        SenderCase(
            name: "Health Auto Export: how far the runs were", body: workouts,
            rule:
                #"{"metric":"workouts","goal":"run","when":"run","field":"distance","unit":"km"}"#,
            days: ["20261122": 5.310835]),
        SenderCase(
            name: "Health Auto Export: one source of several",
            body: #"""
                {"data":{"metrics":[{"name":"step_count","units":"count","data":[
                {"date":"2026-11-22 08:00:00 +0100","qty":100,"source":"iPhone"},
                {"date":"2026-11-22 08:00:00 +0100","qty":120,"source":"Apple Watch"}]}]}}
                """#, rule: #"{"metric":"steps","goal":"walk","source":"watch"}"#,
            days: ["20261122": 120]),
    ]

    private static let workouts = #"""
        {"data":{"workouts":[
        {"id":"6F1","name":"Outdoor Run","start":"2026-11-22 07:00:00 +0100",
         "end":"2026-11-22 07:30:00 +0100","duration":1800,"location":"Outdoor",
         "activeEnergyBurned":{"qty":300,"units":"kcal"},"distance":{"qty":3.3,"units":"mi"},
         "heartRateData":[{"date":"2026-11-22 07:01:00 +0100","Min":90,"Avg":91,"Max":95,
         "units":"bpm","source":"Watch"}],"route":[{"latitude":1,"longitude":2}]},
        {"id":"6F2","name":"Yoga","start":"2026-11-22 18:00:00 +0100",
         "end":"2026-11-22 18:25:00 +0100","duration":1500}]}}
        """#

    private static let sleep = [
        SenderCase(
            name: "Health Auto Export: a night is of the day of waking",
            body: #"""
                {"data":{"metrics":[{"name":"sleep_analysis","units":"hr","data":[
                {"date":"2026-11-21 00:00:00 +0100","totalSleep":7.25,"asleep":0,"core":4,
                 "deep":1.25,"rem":2,"awake":0.3,"inBed":8,"sleepStart":"2026-11-21 23:10:00 +0100",
                 "sleepEnd":"2026-11-22 06:40:00 +0100","source":"Watch"}]}]}}
                """#, rule: #"{"metric":"sleep","goal":"sleep"}"#, days: ["20261122": 7.25]),
        SenderCase(
            name: "Health Auto Export: deep sleep in minutes",
            body: #"""
                {"data":{"metrics":[{"name":"sleep_analysis","units":"hr","data":[
                {"date":"2026-11-22","totalSleep":7.25,"deep":1.25,"rem":2,"core":4,
                 "sleepEnd":"2026-11-22 06:40:00 +0100","source":"Watch"}]}]}}
                """#, rule: #"{"metric":"sleep","goal":"sleep","field":"deep","unit":"min"}"#,
            days: ["20261122": 75]),
        SenderCase(
            name: "Health Auto Export: phases of a night that are not summarised",
            body: phases, rule: #"{"metric":"sleep","goal":"sleep"}"#, days: ["20261122": 2.75]),
        SenderCase(
            name: "Health Auto Export: one phase of a night that is not summarised",
            body: phases, rule: #"{"metric":"sleep","goal":"sleep","field":"deep"}"#,
            days: ["20261122": 0.75]),
    ]

    private static let phases = #"""
        {"data":{"metrics":[{"name":"sleep_analysis","units":"hr","data":[
        {"startDate":"2026-11-21 22:00:00 +0100","endDate":"2026-11-22 06:00:00 +0100","qty":8,
         "value":"In Bed","source":"iPhone"},
        {"startDate":"2026-11-21 22:30:00 +0100","endDate":"2026-11-21 23:30:00 +0100","qty":1,
         "value":"Core","source":"Watch"},
        {"startDate":"2026-11-21 23:30:00 +0100","endDate":"2026-11-22 00:15:00 +0100","qty":0.75,
         "value":"Deep","source":"Watch"},
        {"startDate":"2026-11-22 00:15:00 +0100","endDate":"2026-11-22 00:20:00 +0100","qty":0.083,
         "value":"Awake","source":"Watch"},
        {"startDate":"2026-11-22 00:20:00 +0100","endDate":"2026-11-22 01:20:00 +0100","qty":1,
         "value":"REM","source":"Watch"}]}]}}
        """#

    // MARK: HC Webhook

    private static let healthConnect = [
        SenderCase(
            name: "HC Webhook: steps of the user's day", body: connect, rule: steps,
            days: ["20261122": 8_123]),
        SenderCase(
            name: "HC Webhook: a sleep session is of the day of waking, in the user's time zone",
            body: connect, rule: #"{"metric":"sleep","goal":"sleep","unit":"h"}"#,
            days: ["20261122": 7.5]),
        SenderCase(
            name: "HC Webhook: a phase of a sleep session", body: connect,
            rule: #"{"metric":"sleep","goal":"sleep","field":"deep","unit":"h"}"#,
            days: ["20261122": 2]),
        SenderCase(
            name: "HC Webhook: drinks are summed, and one that comes twice counts once",
            body: connect, rule: #"{"metric":"water","goal":"water","unit":"ml"}"#,
            days: ["20261122": 850]),
        SenderCase(
            name: "HC Webhook: weight", body: connect,
            rule: #"{"metric":"WEIGHT","goal":"weight","unit":"lb"}"#,
            days: ["20261122": 166.449008]),
        SenderCase(
            name: "HC Webhook: exercise of one kind", body: connect,
            rule: #"{"metric":"exercise","goal":"run","when":"run","unit":"min"}"#,
            days: ["20261122": 60]),
        SenderCase(
            name: "HC Webhook: exercise without its length is as long as its time",
            body: #"""
                {"app_version":"1.9.20","exercise":[{"type":"rowing","distance_meters":5000,
                "start_time":"2026-11-22T08:00:00Z","end_time":"2026-11-22T08:25:00Z"}]}
                """#, rule: #"{"metric":"workouts","goal":"row","unit":"min"}"#,
            days: ["20261122": 25]),
        SenderCase(
            name: "HC Webhook, preset camelCase",
            body: #"""
                {"timestamp":"2026-11-22T12:00:00Z","appVersion":"1.9",
                "activeCalories":[{"calories":312.0,"startTime":"2026-11-22T08:00:00Z",
                "endTime":"2026-11-22T09:00:00Z","metadata":{"dataOrigin":"com.fitbit"}}]}
                """#,
            rule: #"{"metric":"active_energy","goal":"move","unit":"kcal","source":"fitbit"}"#,
            days: ["20261122": 312]),
        SenderCase(
            name: "HC Webhook, preset Open Wearables",
            body: #"""
                {"type":"health_data.synced","timestamp":"2026-11-22T12:00:00Z","data":{
                "appVersion":"1.9","source":{"provider":"hc_webhook"},"records":[
                {"type":"steps","count":1240,"startTime":"2026-11-21T23:00:00Z",
                 "endTime":"2026-11-22T06:00:00Z"},
                {"type":"heart_rate","bpm":62,"time":"2026-11-22T06:05:00Z"}]}}
                """#, rule: steps, days: ["20261122": 1_240]),
    ]

    static let connect = #"""
        {"timestamp":"2026-11-22T12:00:00.123Z","app_version":"1.9.2",
        "steps":[{"count":8123,"start_time":"2026-11-21T23:00:00Z",
         "end_time":"2026-11-22T12:00:00Z"}],
        "sleep":[{"session_end_time":"2026-11-21T23:30:00Z","duration_seconds":27000,
         "sleep_updated_at":"2026-11-22T07:00:00Z",
         "stages":[{"stage":"deep","start_time":"2026-11-21T20:00:00Z",
         "end_time":"2026-11-21T22:00:00Z","duration_seconds":7200}]}],
        "hydration":[{"liters":0.35,"start_time":"2026-11-22T08:30:00Z",
         "end_time":"2026-11-22T08:31:00Z"},{"liters":0.5,"start_time":"2026-11-22T11:00:00Z",
         "end_time":"2026-11-22T11:01:00Z"},{"liters":0.5,"start_time":"2026-11-22T11:00:00Z",
         "end_time":"2026-11-22T11:01:00Z"}],
        "weight":[{"kilograms":75.5,"time":"2026-11-22T07:30:00Z",
         "metadata":{"data_origin":"com.withings","recording_method":"manual_entry"}},
         {"kilograms":80,"time":"2026-11-22T05:30:00Z"}],
        "exercise":[{"type":"running","title":"Morning Run","start_time":"2026-11-22T08:00:00Z",
         "end_time":"2026-11-22T09:00:00Z","duration_seconds":3600,"distance_meters":5420.0,
         "steps":6800}]}
        """#

    // MARK: Others

    private static let openWearables = [
        SenderCase(
            name: "Open Wearables: the day's total of a device, and not its samples",
            body: #"""
                {"type":"steps.created","data":{"user_id":"550e","provider":"garmin",
                "series_type":"steps","sample_count":3,"samples":[
                {"timestamp":"2026-11-22T07:30:00+01:00","zone_offset":"+01:00","type":"steps",
                 "value":500,"unit":"count","source":{"provider":"garmin","device":"F255"},
                 "is_daily_total":false},
                {"timestamp":"2026-11-22T00:00:00+01:00","zone_offset":"+01:00","type":"steps",
                 "value":8123,"unit":"count","source":{"provider":"garmin","device":"F255"},
                 "is_daily_total":true},
                {"timestamp":"2026-11-22T08:30:00+01:00","zone_offset":"+01:00","type":"steps",
                 "value":600,"unit":"count","source":{"provider":"garmin","device":"F255"},
                 "is_daily_total":false}]}}
                """#, rule: steps, days: ["20261122": 8_123]),
        SenderCase(
            name: "Open Wearables: the offset of the samples, not of the moment",
            body: #"""
                {"type":"heart_rate.created","data":{"series_type":"heart_rate","samples":[
                {"timestamp":"2026-11-22T02:30:00+00:00","zone_offset":"-08:00",
                 "type":"heart_rate","value":62,"unit":"bpm","source":{"provider":"garmin"},
                 "is_daily_total":null}]}}
                """#, rule: #"{"metric":"heart_rate","goal":"heart"}"#, days: ["20261121": 62]),
        SenderCase(
            name: "Open Wearables: a night without the time awake",
            body: #"""
                {"type":"sleep.created","data":{"id":"b2","start_time":"2026-11-21T22:15:00+01:00",
                "end_time":"2026-11-22T06:45:00+01:00","zone_offset":"+01:00",
                "duration_seconds":30600.0,"sleep_duration_seconds":29400.0,
                "source":{"provider":"oura","device":"Ring"},"stages":{"deep_minutes":95}}}
                """#, rule: #"{"metric":"sleep","goal":"sleep","unit":"min"}"#,
            days: ["20261122": 490]),
        SenderCase(
            name: "Open Wearables: a workout",
            body: #"""
                {"type":"workout.created","data":{"id":"a1","type":"running",
                "start_time":"2026-11-22T07:30:00+01:00","end_time":"2026-11-22T08:30:00+01:00",
                "zone_offset":"+01:00","duration_seconds":3600.0,"source":{"provider":"garmin"},
                "calories_kcal":480.0,"distance_meters":10200.0,"avg_pace_sec_per_km":353}}
                """#,
            rule: #"{"metric":"workouts","goal":"run","field":"distance_meters","unit":"km"}"#,
            days: ["20261122": 10.2]),
    ]

    private static let plain = [
        SenderCase(
            name: "Shortcuts: one value",
            body: #"{"metric":"steps","value":8123,"date":"2026-11-22","source":"iPhone"}"#,
            rule: steps, days: ["20261122": 8_123]),
        SenderCase(
            name: "Home Assistant: values as texts, in a list",
            body: #"""
                [{"metric":"Water","value":"1.75","unit":"L","date":"2026-11-22"},
                {"metric":"Water","value":"2.5","unit":"L","date":"2026-11-21T22:00:00+01:00"}]
                """#, rule: #"{"metric":"water","goal":"water"}"#,
            days: ["20261121": 2.5, "20261122": 1.75]),
        SenderCase(
            name: "anything: samples with a start are summed",
            body: #"""
                {"metrics":[{"metric":"reading","value":20,"unit":"min",
                "start":"2026-11-22T08:00:00+01:00","end":"2026-11-22T08:20:00+01:00"},
                {"metric":"reading","value":15,"unit":"min","start":"2026-11-22T20:00:00+01:00"}]}
                """#, rule: #"{"metric":"Reading","goal":"read","unit":"h"}"#,
            days: ["20261122": 0.583333]),
        SenderCase(
            name: "anything: a value without a date is of today",
            body: #"{"metric":"mood","value":4}"#, rule: #"{"metric":"mood","goal":"mood"}"#,
            days: ["20261122": 4]),
    ]
}
