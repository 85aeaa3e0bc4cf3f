/// A sum of many values.
///
/// It keeps the rounding error of each addition (Knuth, volume 2, section 4.2.2, "TwoSum"), so that
/// ten thousand presses of 0.1 are 1,000.
struct CompensatedSum: Sendable, Equatable {
    private var sum = 0.0
    private var error = 0.0

    mutating func add(_ value: Double) {
        let total = sum + value
        let rounded = total - sum
        error += (sum - (total - rounded)) + (value - rounded)
        sum = total
    }

    /// The sum in 15 significant digits, which a `Double` keeps for every decimal number: three
    /// presses of 0.1 are 0.3.
    var value: Double {
        let total = sum + error
        guard total != 0, total.isFinite else { return total }
        let digits = 15 - Int(total.magnitude.logarithm10.rounded(.up))
        guard (1...300).contains(digits) else { return total }
        let scale = CompensatedSum.power(of: digits)
        return (total * scale).isFinite ? (total * scale).rounded() / scale : total
    }

    private static func power(of digits: Int) -> Double {
        (0..<digits).reduce(1.0) { scale, _ in scale * 10 }
    }
}

extension Double {
    /// The decimal logarithm of a positive number, to about one unit: enough to count digits.
    fileprivate var logarithm10: Double {
        (Double(exponent) + (significand - 1)) * 0.301_029_995_663_981_2
    }
}
