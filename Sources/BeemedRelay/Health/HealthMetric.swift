import RelayTrunk

/// What a metric is called by its senders, and how its samples become the value of a day.
struct HealthMetric: Sendable {
    /// The name in answers and rules.
    let name: String
    /// The unit that its values have when a sender names none.
    let unit: String
    /// How the samples of a day are combined, unless a rule says otherwise.
    let aggregate: Aggregate
    fileprivate let synonyms: [String]

    fileprivate init(
        _ name: String, _ unit: String, _ aggregate: Aggregate, _ synonyms: [String] = []
    ) {
        self.name = name
        self.unit = unit
        self.aggregate = aggregate
        self.synonyms = synonyms
    }

    /// The known metric of that name; nil for one that no table has.
    static func known(_ name: String) -> HealthMetric? { names[key(name)] }

    /// A name in the form in which names are compared: `heartRate`, `Heart Rate` and `HEART_RATE`
    /// are `heart_rate`.
    static func key(_ name: String) -> String {
        var key = ""
        var wasSmall = false
        for letter in name.unicodeScalars {
            switch letter {
            case "A"..."Z":
                if wasSmall { key.unicodeScalars.append("_") }
                key += String(letter).lowercased()
                wasSmall = false
            case "a"..."z", "0"..."9":
                key.unicodeScalars.append(letter)
                wasSmall = true
            default:
                if !key.isEmpty, key.last != "_" { key += "_" }
                wasSmall = false
            }
        }
        if key.last == "_" { key.removeLast() }
        // The identifiers of HealthKit.
        for prefix in ["hkquantity_type_identifier_", "hkcategory_type_identifier_"]
        where key.hasPrefix(prefix) {
            key.removeFirst(prefix.count)
        }
        return key
    }

    /// Whether both names are of the same metric.
    static func isSame(_ one: String, _ other: String) -> Bool {
        identity(of: one) == identity(of: other)
    }

    /// The same for all names of a metric, for comparisons of many with many.
    static func identity(of name: String) -> String {
        let key = key(name)
        return names[key]?.name ?? key
    }

    private static let table = [
        HealthMetric("steps", "count", .sum, ["step_count", "stepcount", "daily_steps"]),
        HealthMetric(
            "distance", "m", .sum,
            ["walking_running_distance", "distance_walking_running", "walking_distance"]),
        HealthMetric("cycling_distance", "km", .sum, ["distance_cycling"]),
        HealthMetric("swimming_distance", "m", .sum, ["distance_swimming"]),
        HealthMetric(
            "active_energy", "kcal", .sum,
            ["active_calories", "active_energy_burned", "active_calories_burned", "energy"]),
        HealthMetric(
            "basal_energy", "kcal", .sum, ["basal_energy_burned", "resting_energy"]),
        HealthMetric("total_energy", "kcal", .sum, ["total_calories", "total_calories_burned"]),
        HealthMetric("flights_climbed", "count", .sum, ["floors_climbed", "floors"]),
        HealthMetric(
            "exercise_time", "min", .sum,
            ["apple_exercise_time", "exercise_minutes", "active_minutes"]),
        HealthMetric("stand_time", "min", .sum, ["apple_stand_time"]),
        HealthMetric("stand_hours", "count", .sum, ["apple_stand_hour"]),
        HealthMetric("sleep", "h", .sum, ["sleep_analysis", "sleep_session"]),
        HealthMetric(
            "mindful_minutes", "min", .sum, ["mindful_session", "mindfulness", "meditation"]),
        HealthMetric("workouts", "min", .sum, ["workout", "exercise", "exercise_session"]),
        HealthMetric(
            "water", "L", .sum, ["dietary_water", "hydration", "water_intake"]),
        HealthMetric("caffeine", "mg", .sum, ["dietary_caffeine"]),
        HealthMetric(
            "dietary_energy", "kcal", .sum,
            ["dietary_energy_consumed", "nutrition", "calories_consumed"]),
        HealthMetric("protein", "g", .sum, ["dietary_protein"]),
        HealthMetric("carbohydrates", "g", .sum, ["dietary_carbohydrates"]),
        HealthMetric("dietary_sugar", "g", .sum, ["sugar"]),
        HealthMetric("fiber", "g", .sum, ["dietary_fiber"]),
        HealthMetric("heart_rate", "bpm", .mean),
        HealthMetric("resting_heart_rate", "bpm", .mean),
        HealthMetric(
            "heart_rate_variability", "ms", .mean,
            ["heart_rate_variability_sdnn", "heart_rate_variability_rmssd", "hrv"]),
        HealthMetric("weight", "kg", .last, ["weight_body_mass", "body_mass", "body_weight"]),
        HealthMetric("lean_body_mass", "kg", .last),
        HealthMetric("height", "m", .last),
        HealthMetric("body_mass_index", "count", .last, ["bmi"]),
        HealthMetric("body_fat", "%", .last, ["body_fat_percentage"]),
        HealthMetric("waist", "cm", .last, ["waist_circumference"]),
        HealthMetric("vo2_max", "ml/kg/min", .last, ["vo2max"]),
        HealthMetric("oxygen_saturation", "%", .mean, ["blood_oxygen_saturation", "spo2"]),
        HealthMetric("respiratory_rate", "bpm", .mean),
        HealthMetric("body_temperature", "°C", .mean),
        HealthMetric("blood_glucose", "mmol/L", .mean),
        HealthMetric("blood_pressure", "mmHg", .mean),
    ]

    private static let names: [String: HealthMetric] = {
        var names: [String: HealthMetric] = [:]
        for metric in table {
            for name in [metric.name] + metric.synonyms { names[name] = metric }
        }
        return names
    }()
}

/// How the samples of a day become its value.
package enum Aggregate: String, Codable, CaseIterable, Sendable {
    case sum, last, max, min, mean, count
}
