import RelayTrunk

/// A unit of health data. Units of one dimension can be converted into each other.
struct HealthUnit: Sendable, Equatable {
    /// The dimension that a unit measures.
    enum Dimension: Sendable, Equatable {
        case count, rate, energy, length, mass, volume, time, temperature, ratio, glucose, pressure
    }

    /// The usual name, as in answers.
    let name: String
    let dimension: Dimension
    /// The value of one unit in the dimension's base unit.
    let factor: Double
    /// Added before multiplying; only temperatures have one.
    var offset = 0.0

    /// The unit of that name, as any sender writes it; nil for an unknown one.
    init?(_ text: String) {
        guard let unit = HealthUnit.names[HealthUnit.key(text)] else { return nil }
        self = unit
    }

    private init(_ name: String, _ dimension: Dimension, _ factor: Double, offset: Double = 0) {
        (self.name, self.dimension, self.factor, self.offset) = (name, dimension, factor, offset)
    }

    /// Converts a value of this unit; nil when the other unit measures something else.
    func convert(_ value: Double, to other: HealthUnit) -> Double? {
        guard dimension == other.dimension else { return nil }
        guard self != other else { return value }
        return (value + offset) * factor / other.factor - other.offset
    }

    private static func key(_ text: String) -> String {
        text.lowercased().filter { $0 != " " && $0 != "." && $0 != "_" && $0 != "°" }
    }

    /// Every unit with the spellings of the senders. The factors are those of the International
    /// System of Units and, for the others, of NIST Special Publication 811, appendix B; glucose
    /// has 180.156 g/mol.
    private static let table: [(HealthUnit, [String])] = [
        (HealthUnit("count", .count, 1), ["count", "steps", "step", "times", ""]),
        (HealthUnit("bpm", .rate, 1), ["bpm", "count/min", "breaths/min", "/min", "rpm"]),
        (HealthUnit("kcal", .energy, 4.184), ["kcal", "cal", "calories", "kilocalories"]),
        (HealthUnit("kJ", .energy, 1), ["kj", "kilojoules"]),
        (HealthUnit("m", .length, 1), ["m", "meters", "meter", "metres"]),
        (HealthUnit("km", .length, 1_000), ["km", "kilometers"]),
        (HealthUnit("mi", .length, 1_609.344), ["mi", "miles", "mile"]),
        (HealthUnit("ft", .length, 0.3048), ["ft", "feet"]),
        (HealthUnit("cm", .length, 0.01), ["cm"]),
        (HealthUnit("in", .length, 0.0254), ["in", "inch", "inches"]),
        (HealthUnit("yd", .length, 0.9144), ["yd", "yards"]),
        (HealthUnit("kg", .mass, 1_000), ["kg", "kilograms", "kilogram"]),
        (HealthUnit("g", .mass, 1), ["g", "grams", "gram"]),
        (HealthUnit("mg", .mass, 0.001), ["mg", "milligrams"]),
        (HealthUnit("lb", .mass, 453.592_37), ["lb", "lbs", "pounds"]),
        (HealthUnit("oz", .mass, 28.349_523_125), ["oz", "ounces"]),
        (HealthUnit("st", .mass, 6_350.293_18), ["st", "stone"]),
        (HealthUnit("L", .volume, 1_000), ["l", "liters", "litres", "liter"]),
        (HealthUnit("mL", .volume, 1), ["ml", "milliliters"]),
        (HealthUnit("fl oz", .volume, 29.573_529_562_5), ["floz", "fl_oz_us", "flozus"]),
        (HealthUnit("s", .time, 1), ["s", "sec", "second", "seconds"]),
        (HealthUnit("min", .time, 60), ["min", "mins", "minute", "minutes"]),
        (HealthUnit("h", .time, 3_600), ["h", "hr", "hrs", "hour", "hours"]),
        (HealthUnit("ms", .time, 0.001), ["ms", "millis", "milliseconds"]),
        (HealthUnit("°C", .temperature, 1), ["c", "degc", "celsius"]),
        (
            HealthUnit("°F", .temperature, 5.0 / 9, offset: -32), ["f", "degf", "fahrenheit"]
        ),
        (HealthUnit("%", .ratio, 0.01), ["%", "percent", "percentage"]),
        (HealthUnit("fraction", .ratio, 1), ["fraction", "ratio"]),
        (HealthUnit("mmol/L", .glucose, 18.015_6), ["mmol/l", "mmol<180.1558800000541>/l"]),
        (HealthUnit("mg/dL", .glucose, 1), ["mg/dl"]),
        (HealthUnit("mmHg", .pressure, 1), ["mmhg"]),
    ]

    private static let names: [String: HealthUnit] = {
        var names: [String: HealthUnit] = [:]
        for (unit, spellings) in table {
            for spelling in spellings + [unit.name] { names[key(spelling)] = unit }
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

    static func == (left: HealthUnit, right: HealthUnit) -> Bool { left.name == right.name }
}
