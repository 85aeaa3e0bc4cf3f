/// How the values of a day become the value of the day: Beeminder's `aggday`. Names and results are
/// those of Beebrain, the program that draws Beeminder's graphs.
package enum DayAggregation: Sendable, Equatable {
    case sum, count, nonzeroCount, any, anyNonzero, last, first, least, greatest
    case mean, uniqueMean, nonzeroMean, trimmedMean, median, mode
    /// The sum of the differences of pairs: hours at which something began and ended.
    case pairs
    /// A function of the sum.
    case square, triangle, root, atMostOne
    /// The sum, at most the rate of a day.
    case atMostRate

    /// Beeminder's names, older ones among them.
    private static let names: [String: DayAggregation] = [
        "sum": .sum, "truesum": .sum, "count": .count, "countflat": .nonzeroCount, "binary": .any,
        "jolly": .any, "unary": .any, "nonzero": .anyNonzero, "unaryflat": .anyNonzero,
        "last": .last, "first": .first, "min": .least, "max": .greatest, "truemean": .mean,
        "mu": .mean, "average": .mean, "mean": .uniqueMean, "uniqmean": .uniqueMean,
        "munique": .uniqueMean, "muflat": .nonzeroMean, "trimmean": .trimmedMean,
        "mutrim": .trimmedMean, "median": .median, "mode": .mode, "clocky": .pairs,
        "square": .square, "triangle": .triangle, "sqrt": .root, "cap1": .atMostOne,
        "satsum": .atMostOne, "skatesum": .atMostRate,
    ]

    /// Reads a goal's `aggday`; nil for an unknown name.
    init?(_ name: String) {
        guard let known = DayAggregation.names[name] else { return nil }
        self = known
    }

    /// Whether one more datapoint of 1 is one more of what the goal counts. To the others it is a
    /// reading of its own, such as a weight or an hour of the day.
    var countsPresses: Bool {
        switch self {
        case .sum, .count, .nonzeroCount, .any, .anyNonzero, .square, .triangle, .root, .atMostOne,
            .atMostRate:
            true
        case .last, .first, .least, .greatest, .mean, .uniqueMean, .nonzeroMean, .trimmedMean,
            .median, .mode, .pairs:
            false
        }
    }

    /// The value of a day.
    ///
    /// - Parameters:
    ///   - values: those of the day's datapoints, the earliest first.
    ///   - rate: the amount that the goal demands each day; nil when unknown.
    /// - Returns: 0 for a day without datapoints.
    func value(of values: [Double], rate: Double? = nil) -> Double {
        guard let first = values.first, let last = values.last else { return 0 }
        let sum = values.reduce(0, +)
        switch self {
        case .sum: return sum
        case .count: return Double(values.count)
        case .nonzeroCount: return Double(values.count { $0 != 0 })
        case .any: return 1
        case .anyNonzero: return values.contains { $0 != 0 } ? 1 : 0
        case .last: return last
        case .first: return first
        case .least: return values.min() ?? first
        case .greatest: return values.max() ?? first
        case .square: return sum * sum
        case .triangle: return sum * (sum + 1) / 2
        case .root: return max(sum, 0).squareRoot()
        case .atMostOne: return min(1, sum)
        case .atMostRate: return rate.map { min($0, sum) } ?? sum
        case .pairs: return DayAggregation.pairs(values)
        case .mean, .uniqueMean, .nonzeroMean, .trimmedMean, .median, .mode:
            return middle(of: values)
        }
    }

    private func middle(of values: [Double]) -> Double {
        switch self {
        case .uniqueMean: return DayAggregation.mean(Array(Set(values)).sorted())
        case .nonzeroMean: return DayAggregation.mean(values.filter { $0 != 0 })
        case .trimmedMean:
            // A tenth at either end.
            let cut = values.count / 10
            return DayAggregation.mean(Array(values.sorted().dropFirst(cut).dropLast(cut)))
        case .median:
            let sorted = values.sorted()
            let half = sorted.count / 2
            return DayAggregation.mean(Array(sorted[(sorted.count - 1) / 2...half]))
        case .mode:
            let counts = Dictionary(values.map { ($0, 1) }, uniquingKeysWith: +)
            let most = counts.values.max()
            return values.first { counts[$0] == most } ?? 0
        default: return DayAggregation.mean(values)
        }
    }

    private static func mean(_ values: [Double]) -> Double {
        values.isEmpty ? 0 : values.reduce(0, +) / Double(values.count)
    }

    /// The last value of an odd number has no pair yet.
    private static func pairs(_ values: [Double]) -> Double {
        // With its types, since to infer them takes the compiler three seconds.
        stride(from: 1, to: values.count, by: 2).reduce(0.0) { (sum: Double, index: Int) in
            sum + values[index] - values[index - 1]
        }
    }
}

extension Goal {
    /// How its days are aggregated; nil when that is unknown.
    var aggregation: DayAggregation? {
        if let name = terms.aggday { return DayAggregation(name) }
        switch terms.goalType {
        case "biker": return .last
        case "fatloser", "inboxer": return .least
        case "gainer": return .greatest
        default: return nil
        }
    }

    /// Whether a press without a value, which is 1, means one more. Unknown fields are as in the
    /// most common goals. The total of an odometer begins anew with a lower value.
    package var countsPresses: Bool {
        terms.odom != true && aggregation?.countsPresses ?? true
    }

    /// How its datapoints become a day's value, in words for people.
    package var readingWords: String {
        if terms.odom == true { return "is an odometer" }
        return "does not add up its datapoints (aggday '\(terms.aggday ?? "last")')"
    }

    /// The amount that the goal demands each day; nil when unknown.
    fileprivate var dailyRate: Double? {
        guard let rate = terms.rate else { return nil }
        let days = ["d": 1, "w": 7, "m": 365.25 / 12, "y": 365.25][terms.runits ?? ""]
        return days.map { rate / $0 }
    }
}

/// The values of the datapoints of a goal's day, in any order.
struct DayValues: Sendable, Equatable {
    private struct Reading: Sendable, Equatable {
        var at: UnixTime
        var number: SequenceNumber
        var value: Double
    }

    private let aggregation: DayAggregation
    private let rate: Double?
    private var sum = CompensatedSum()
    /// Whether anything was logged, of any value.
    private(set) var isDone = false
    /// Only where more than the sum counts: a day may have a hundred thousand presses.
    private var readings: [Reading] = []

    /// No values.
    ///
    /// - Parameter goal: nil when unknown; then the values are added.
    init(of goal: Goal?) {
        let isLast = goal?.terms.aggday != nil && goal?.terms.kyoom == false
        aggregation = goal?.aggregation ?? (isLast ? .last : .sum)
        rate = goal?.dailyRate
    }

    /// Adds a value.
    ///
    /// - Parameter number: decides between values of the same second; 0 for one from elsewhere.
    mutating func add(_ value: Double, at time: UnixTime, _ number: SequenceNumber) {
        sum.add(value)
        isDone = true
        guard aggregation != .sum else { return }
        readings.append(Reading(at: time, number: number, value: value))
    }

    /// The value of the day; 0 without any, or when it is too large to be told.
    var value: Double {
        let inOrder = readings.sorted { ($0.at, $0.number) < ($1.at, $1.number) }.map(\.value)
        let value = aggregation == .sum ? sum.value : aggregation.value(of: inOrder, rate: rate)
        return value.isFinite ? value : 0
    }
}
