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
        #if canImport(FoundationInternationalization)
            // A static build has of a library what is called. Without this call, to which no name
            // of a zone leads, it would be without the database.
            guard !name.isEmpty else {
                _ = Double.zero.formatted()
                return nil
            }
        #endif
        self.init(identifier: name)
    }
}
