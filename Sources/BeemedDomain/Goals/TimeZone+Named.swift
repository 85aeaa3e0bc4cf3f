#if canImport(FoundationInternationalization)
    import FoundationEssentials
    import FoundationInternationalization
#else
    import Foundation
#endif

extension TimeZone {
    /// The zone of that name in the database of time zones; nil for an unknown name.
    ///
    /// On Linux FoundationInternationalization holds that database. Without it Foundation knows UTC
    /// alone, and says nothing.
    init?(named name: String) {
        self.init(identifier: name)
    }
}
