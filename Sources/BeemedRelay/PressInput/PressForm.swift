import BeemedDomain
import RelayHTTP

/// The form of a JSON content: everything in it but the value, the comment and the id of the press.
/// A device writes all of its contents in one form, so that another one is read by comparing what
/// is between these three, without looking for names.
struct PressForm: Sendable {
    /// A member whose value may differ.
    private struct Gap: Sendable {
        let field: PressFields.Field
        /// Where its value is in the content.
        let place: Range<Int>
    }

    private let content: [UInt8]
    private let gaps: [Gap]

    /// The form of a content that was read without an error; nil if only this one has it.
    init?(of content: [UInt8]) {
        var gaps: [Gap] = []
        var (hasGeneral, hasUnknown) = (false, false)
        do throws(BodyReader.JSON.Fault) {
            var json = BodyReader.JSON(content[...])
            guard try json.begin(.object) else { return nil }
            repeat {
                let place = PressFields.place(named: try json.name())
                let known = place.map { PressFields.names[$0] }
                hasGeneral = hasGeneral || known?.isGeneral ?? false
                hasUnknown = hasUnknown || known == nil
                // The meaning of a list or a text of datapoints depends on what is in it.
                if known?.isDatapoint ?? false { return nil }
                let gap = try PressForm.gap(of: known, &json)
                guard let gap else { continue }
                // What is given twice must be the same both times.
                guard !gaps.contains(where: { $0.field == gap.field }) else { return nil }
                gaps.append(gap)
            } while try json.another(in: .object)
        } catch {
            return nil
        }
        // Beside unknown names a general one has another meaning, which may depend on all bytes.
        guard !gaps.isEmpty, !(hasGeneral && hasUnknown) else { return nil }
        (self.content, self.gaps) = (content, gaps)
    }

    /// Reads a member's value; nil if the form says it.
    private static func gap(
        of known: PressFields.KnownName?, _ json: inout BodyReader.JSON
    ) throws(BodyReader.JSON.Fault) -> Gap? {
        json.skipSpace()
        let start = json.position
        guard case .text = try json.scalar(), case .field(let field)? = known?.meaning
        else { return nil }
        switch field {
        case .value, .comment, .id: return Gap(field: field, place: start..<json.position)
        case .goal, .timestamp, .age, .day, .token: return nil
        }
    }

    /// The press of a content of this form; nil for any other content.
    ///
    /// - Parameter known: the press of the form's own content.
    func press(of other: [UInt8], like known: ReadPress) -> ReadPress? {
        var read = known
        // One for all members: to make it changes references.
        var json = BodyReader.JSON(other[...])
        var (end, otherEnd) = (0, 0)
        for gap in gaps {
            let same = end..<gap.place.lowerBound
            guard matches(same, other, at: otherEnd) else { return nil }
            json.move(to: otherEnd + same.count)
            guard read.set(gap.field, from: &json, in: other) else { return nil }
            (end, otherEnd) = (gap.place.upperBound, json.position)
        }
        let isWhole = content.count - end == other.count - otherEnd
        return isWhole && matches(end..<content.count, other, at: otherEnd) ? read : nil
    }

    /// Whether those bytes of the content stand at that place of the other.
    private func matches(_ range: Range<Int>, _ other: [UInt8], at place: Int) -> Bool {
        guard range.count <= other.count - place else { return false }
        let there = other.span.extracting(place..<(place + range.count))
        return content.span.extracting(range).equals(there)
    }
}

extension ReadPress {
    /// Takes over the value of a member.
    ///
    /// - Returns: false for one that is refused or stands for a default: that is seen elsewhere.
    fileprivate mutating func set(
        _ field: PressFields.Field, from json: inout BodyReader.JSON, in content: [UInt8]
    ) -> Bool {
        do throws(BodyReader.JSON.Fault) {
            if field == .value {
                let start = json.position
                try json.skip()
                let text = content.span.extracting(start..<json.position)
                guard let value = DecimalText.plain(text) else { return false }
                (press.value, press.isValueImplied) = (value, false)
                return true
            }
            guard case .text(let text) = try json.scalar() else { return false }
            if field == .id {
                guard let id = EventID(text) else { return false }
                press.id = id
                reading = reading.with(id)
                return true
            }
            press.comment = text
            return text.utf8.count <= Press.commentBytes
        } catch {
            return false
        }
    }
}
