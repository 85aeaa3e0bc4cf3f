import RelayHTTP
import RelayTrunk

#if canImport(dnssd)
    import dnssd
#endif

/// Lets devices find the relay by name (DNS-SD, RFC 6763), as `_beemed._tcp`.
///
/// On Apple's systems the system's own service is asked. On Linux Avahi reads a file, which
/// `service install` and the Debian package put into its folder.
struct Discovery {
    static let type = "_beemed._tcp"

    /// Announces the relay as long as the value lives; nil where nothing can or need be announced.
    static func announce(_ endpoint: Endpoint) -> Discovery? {
        guard !endpoint.address.isLoopback else { return nil }
        #if canImport(dnssd)
            var service: DNSServiceRef?
            let status = unsafe DNSServiceRegister(
                &service, 0, 0, nil, type, nil, nil, endpoint.port.bigEndian, 0, nil, nil, nil)
            guard status == kDNSServiceErr_NoError, let service = unsafe service else { return nil }
            return unsafe Discovery(service: service)
        #else
            return nil
        #endif
    }

    #if canImport(dnssd)
        private let service: DNSServiceRef
    #endif

    /// Takes the announcement back.
    func end() {
        #if canImport(dnssd)
            unsafe DNSServiceRefDeallocate(service)
        #endif
    }
}
