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

/// A unit of health data. Units of one dimension can be converted into each other.
struct HealthUnit: Sendable, Equatable {
    /// The dimension that it measures, as in `length`.
    let dimension: Substring
    /// The value of one unit in the dimension's base unit.
    let factor: Double
    /// Added before multiplying; only temperatures have one.
    let offset: Double

    /// Converts a value of this unit; nil when the other unit measures something else.
    func convert(_ value: Double, to other: HealthUnit) -> Double? {
        guard dimension == other.dimension else { return nil }
        guard self != other else { return value }
        return (value + offset) * factor / other.factor - other.offset
    }

    /// A line for each dimension, with its units: factor, perhaps an offset behind a slash, and the
    /// spellings of the senders as keys. The factors are those of the International System of Units
    /// and, for the others, of NIST Special Publication 811, appendix B; glucose has 180.156 g/mol.
    private static let table = """
        count, 1 count steps step times
        rate, 1 bpm count/min breaths/min /min rpm
        energy, 4.184 kcal cal calories kilocalories, 1 kj kilojoules
        length, 1 m meters meter metres, 1000 km kilometers, 1609.344 mi miles mile, 0.01 cm
        length, 0.3048 ft feet, 0.0254 in inch inches, 0.9144 yd yards
        mass, 1000 kg kilograms kilogram, 1 g grams gram, 0.001 mg milligrams
        mass, 453.59237 lb lbs pounds, 28.349523125 oz ounces, 6350.29318 st stone
        volume, 1000 l liters litres liter, 1 ml milliliters, 29.5735295625 floz flozus
        time, 1 s sec second seconds, 60 min mins minute minutes, 3600 h hr hrs hour hours
        time, 0.001 ms millis milliseconds
        temperature, 1 c degc celsius, 0.5555555555555556/-32 f degf fahrenheit
        ratio, 0.01 % percent percentage, 1 fraction ratio
        glucose, 18.0156 mmol/l mmol<1801558800000541>/l, 1 mg/dl
        pressure, 1 mmhg
        """

    private static let names: [String: HealthUnit] = {
        // Without a unit it is a count.
        var names = ["": HealthUnit(dimension: "count", factor: 1, offset: 0)]
        for line in table.split(separator: "\n") {
            let parts = line.split(separator: ",")
            for words in parts.dropFirst().map({ $0.split(separator: " ") }) {
                let numbers = words[0].split(separator: "/").compactMap { Double($0) }
                let unit = HealthUnit(
                    dimension: parts[0], factor: numbers[0], offset: numbers.dropFirst().first ?? 0)
                for name in words.dropFirst() { names[String(name)] = unit }
            }
        }
        return names
    }()

    /// The unit that a field's name tells; empty for none.
    static func usual(of field: String) -> String {
        fields.first { $0.key == field }?.value ?? endings.first { field.hasSuffix($0.key) }?.value
            ?? ""
    }

    /// Names of fields of Health Connect, of which the first counts if a record has several.
    static let fields: KeyValuePairs = [
        "count": "count", "meters": "m", "calories": "kcal", "kilograms": "kg", "liters": "L",
        "bpm": "bpm", "avg": "", "rmssd_millis": "ms", "percentage": "%", "celsius": "°C",
        "delta_celsius": "°C", "mmol_per_liter": "mmol/L", "ml_per_kg_per_min": "ml/kg/min",
        "systolic": "mmHg", "duration_seconds": "s", "rate": "bpm", "watts": "", "value": "",
        "steps": "count", "baseline_celsius": "°C", "diastolic": "mmHg", "duration": "s",
    ]

    private static let endings: KeyValuePairs = [
        "meters": "m", "_seconds": "s", "_grams": "g", "_minutes": "min", "_hours": "h",
        "_kcal": "kcal", "_bpm": "bpm", "_percent": "%",
    ]
}

extension HealthUnit {
    /// The unit of that name, as any sender writes it; nil for an unknown one.
    init?(_ text: String) {
        let key = text.lowercased().filter { $0 != " " && $0 != "." && $0 != "_" && $0 != "°" }
        guard let unit = HealthUnit.names[key] else { return nil }
        self = unit
    }
}
