import RelayTrunk

/// The names of a metric at its senders, and how its samples become the value of a day.
struct HealthMetric: Sendable {
    /// The name in answers and rules.
    let name: String
    /// The unit that its values have when a sender names none.
    let unit: String
    /// How the samples of a day are combined, unless a rule says otherwise.
    let aggregate: Aggregate

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

    /// A line for each: name, unit, aggregate, other names.
    private static let table = """
        steps count sum step_count stepcount daily_steps
        distance m sum walking_running_distance distance_walking_running walking_distance
        cycling_distance km sum distance_cycling
        swimming_distance m sum distance_swimming
        active_energy kcal sum active_calories active_energy_burned active_calories_burned energy
        basal_energy kcal sum basal_energy_burned resting_energy
        total_energy kcal sum total_calories total_calories_burned
        flights_climbed count sum floors_climbed floors
        exercise_time min sum apple_exercise_time exercise_minutes active_minutes
        stand_time min sum apple_stand_time
        stand_hours count sum apple_stand_hour
        sleep h sum sleep_analysis sleep_session
        mindful_minutes min sum mindful_session mindfulness meditation
        workouts min sum workout exercise exercise_session
        water L sum dietary_water hydration water_intake
        caffeine mg sum dietary_caffeine
        dietary_energy kcal sum dietary_energy_consumed nutrition calories_consumed
        protein g sum dietary_protein
        carbohydrates g sum dietary_carbohydrates
        dietary_sugar g sum sugar
        fiber g sum dietary_fiber
        heart_rate bpm mean
        resting_heart_rate bpm mean
        heart_rate_variability ms mean heart_rate_variability_sdnn heart_rate_variability_rmssd hrv
        weight kg last weight_body_mass body_mass body_weight
        lean_body_mass kg last
        height m last
        body_mass_index count last bmi
        body_fat % last body_fat_percentage
        waist cm last waist_circumference
        vo2_max ml/kg/min last vo2max
        oxygen_saturation % mean blood_oxygen_saturation spo2
        respiratory_rate bpm mean
        body_temperature °C mean
        blood_glucose mmol/L mean
        blood_pressure mmHg mean
        """

    private static let names: [String: HealthMetric] = {
        var names: [String: HealthMetric] = [:]
        for line in table.split(separator: "\n") {
            let words = line.split(separator: " ").map(String.init)
            guard words.count >= 3, let aggregate = Aggregate(rawValue: words[2]) else {
                preconditionFailure("a line of the table of metrics")
            }
            let metric = HealthMetric(name: words[0], unit: words[1], aggregate: aggregate)
            for name in [words[0]] + words[3...] { names[name] = metric }
        }
        return names
    }()
}

/// How the samples of a day become its value.
package enum Aggregate: String, Codable, CaseIterable, Sendable {
    case sum, last, max, min, mean, count
}
