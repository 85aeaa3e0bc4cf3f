package import BeemedDomain
import CCurl
import Libc
import RelayHTTP
import Synchronization

/// Sends HTTP requests, with limits on time and length, by libcurl, which Apple's systems have, too.
/// Redirects are not followed: repeated as a GET, a press would get a 200 that confirms nothing, and a
/// token would go to another host. Nothing is cached, and cookies are not kept.
///
/// The library is loaded by the first request: with its dependencies it takes 7 MB of memory, of
/// which a relay with nothing to send has no use. Connections stay: a new handle reads all
/// certificates again, which takes 300 times as long as a request.
///
/// URLSession on Linux uses libcurl too, but crashes the process on answers that any server or
/// proxy may send: trailer fields (RFC 9112 section 7.1.2), and a 401 whose `WWW-Authenticate` has
/// no realm.
package final class SystemTransport: Sendable {
    /// Idle handles; each keeps its connections.
    private let idle = Mutex<[Handle]>([])

    private let connectSeconds: Double?
    private let sendsOnce: Bool
    private let usesProxy: Bool

    /// Whether requests can be sent. Loads the library.
    package static var isAvailable: Bool { Library.shared != nil }

    /// A transport of its own connections.
    ///
    /// - Parameters:
    ///   - connectSeconds: the maximum duration of connecting; nil for the library's own.
    ///   - sendsOnce: whether a request that changes something is sent on a new connection. When a
    ///     kept one ends without an answer libcurl sends the request again by itself, and nobody
    ///     would know that the first one may still be applied, after what was done since.
    ///   - usesProxy: whether the proxy of the environment is used, which sees a token sent over
    ///     plain HTTP.
    package init(connectSeconds: Double? = nil, sendsOnce: Bool = true, usesProxy: Bool = true) {
        self.connectSeconds = connectSeconds
        self.sendsOnce = sendsOnce
        self.usesProxy = usesProxy
    }

    deinit {
        while let handle = idle.withLock({ $0.popLast() }) { Library.shared?.close(handle) }
    }

    /// Sends a request on the calling thread, which waits for the answer.
    ///
    /// - Parameters:
    ///   - bytes: maximum length of the answer's body.
    ///   - seconds: maximum duration of the whole exchange, even while bytes arrive.
    ///   - term: the request is cancelled within a second when it ends; nil for one that needs
    ///     no proof of leading.
    package func perform(
        _ request: OutgoingRequest, atMost bytes: Int, within seconds: Double = 30,
        during term: LeaseTerm?
    ) -> Result<UpstreamAnswer, TransportFailure> {
        guard !request.isUnsendable else { return .failure(.unsendable) }
        guard let curl = Library.shared else { return .failure(.noLibrary) }
        let kept = idle.withLock { $0.popLast() }
        guard let handle = kept ?? curl.open() else {
            return .failure(.network(NetworkError.unusable))
        }
        let reception = Reception(atMost: bytes, during: term)
        if let connectSeconds {
            curl.set(handle, 156, Int(connectSeconds * 1_000))  // CURLOPT_CONNECTTIMEOUT_MS
        }
        if sendsOnce, request.method != "GET" { curl.set(handle, 74, 1) }  // FRESH_CONNECT
        if !usesProxy { curl.set(handle, 10_177, "*") }  // CURLOPT_NOPROXY
        let result = curl.perform(request, on: handle, seconds, into: reception)
        // After a failure all kept connections may be dead.
        guard result == Library.ok, let status = curl.status(of: handle), status > 0 else {
            curl.close(handle)
            while let other = idle.withLock({ $0.popLast() }) { curl.close(other) }
            return .failure(
                reception.isTooLarge ? .tooLarge(bytes: bytes) : .network(result))
        }
        curl.reset(handle)
        idle.withLock { $0.append(handle) }
        return .success(reception.answer(status: status))
    }
}

/// A libcurl handle, used by one thread at a time.
@safe struct Handle: @unchecked Sendable {
    let pointer: UnsafeMutableRawPointer
}

/// The answer to one request. Used by one thread.
private final class Reception {
    let term: LeaseTerm?
    private let most: Int
    private var body: [UInt8] = []
    private var fields: [String: String] = [:]
    private var isBody = false
    private(set) var isTooLarge = false

    init(atMost most: Int, during term: LeaseTerm?) {
        self.most = most
        self.term = term
    }

    /// The reception that libcurl's callback is about.
    static func at(_ context: UnsafeMutableRawPointer?) -> Reception? {
        unsafe context.map { unsafe Unmanaged.fromOpaque($0).takeUnretainedValue() }
    }

    /// Returns false when the limit is exceeded.
    func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        isBody = true
        isTooLarge = bytes.count > most - body.count
        if !isTooLarge { unsafe body.append(contentsOf: bytes) }
        return !isTooLarge
    }

    /// Receives a header line. Trailer fields are ignored.
    func receive(line bytes: UnsafeRawBufferPointer) {
        guard !isBody else { return }
        let line = unsafe String(decoding: bytes, as: UTF8.self)
        if line.hasPrefix("HTTP/") { return fields.removeAll() }
        guard let colon = line.firstIndex(of: ":") else { return }
        fields[line[..<colon].lowercased()] = String(line[line.index(after: colon)...]).trimmed
    }

    func answer(status: Int) -> UpstreamAnswer {
        UpstreamAnswer(
            status: status, retryAfter: fields["retry-after"],
            date: fields["date"].flatMap { DateField.parse($0) }, body: body)
    }
}

/// libcurl's functions.
@safe private struct Library: @unchecked Sendable {
    /// The system's library, loaded when this is first used; nil where there is none.
    static let shared = Library()
    static let ok: CInt = 0
    #if os(Linux)
        private static let file = "libcurl.so.4"
    #else
        private static let file = "libcurl.4.dylib"
    #endif

    private let make, set, get, run, end, renew, append, free: UnsafeMutableRawPointer

    private init?() {
        guard let library = unsafe dlopen(Library.file, RTLD_NOW) else { return nil }
        let names = [
            "curl_easy_init", "curl_easy_setopt", "curl_easy_getinfo", "curl_easy_perform",
            "curl_easy_cleanup", "curl_easy_reset", "curl_slist_append", "curl_slist_free_all",
            "curl_global_init",
        ]
        let found = unsafe names.compactMap { unsafe dlsym(library, $0) }
        guard unsafe found.count == names.count else { return nil }
        unsafe (make, set, get, run) = (found[0], found[1], found[2], found[3])
        unsafe (end, renew, append, free) = (found[4], found[5], found[6], found[7])
        // Older versions do it in `curl_easy_init`, where two threads could meet.
        guard unsafe relay_curl_prepare(found[8]) == 0 else { return nil }
    }

    func open() -> Handle? {
        unsafe relay_curl_make(make).map { unsafe Handle(pointer: $0) }
    }

    func close(_ handle: Handle) {
        unsafe relay_curl_end(end, handle.pointer)
    }

    /// Resets the request, and keeps the connections.
    func reset(_ handle: Handle) {
        unsafe relay_curl_end(renew, handle.pointer)
    }

    func status(of handle: Handle) -> Int? {
        var status = 0
        let isKnown = unsafe relay_curl_get_long(get, handle.pointer, 0x20_0002, &status) == 0
        return isKnown ? status : nil
    }

    /// Returns libcurl's result (`CURLcode`).
    func perform(
        _ request: OutgoingRequest, on handle: Handle, _ seconds: Double, into reception: Reception
    ) -> CInt {
        set(handle, 10_002, request.url)  // CURLOPT_URL
        set(handle, 10_036, request.method)  // CURLOPT_CUSTOMREQUEST
        set(handle, 10_102, "")  // CURLOPT_ACCEPT_ENCODING: all supported
        set(handle, 99, 1)  // CURLOPT_NOSIGNAL
        set(handle, 155, Int(seconds * 1_000))  // CURLOPT_TIMEOUT_MS
        set(handle, 181, 3)  // CURLOPT_PROTOCOLS: http and https
        if let body = request.body {
            set(handle, 60, body.count)  // CURLOPT_POSTFIELDSIZE
            // An empty array may have no address; libcurl copies as much as the size says.
            unsafe (body.isEmpty ? [0] : body).withUnsafeBytes { bytes in  // COPYPOSTFIELDS
                let start = unsafe UnsafeMutableRawPointer(mutating: bytes.baseAddress)
                unsafe _ = relay_curl_set_pointer(set, handle.pointer, 10_165, start)
            }
        }
        var request = request
        request.set("User-Agent", "BeemedRelay")
        var list: UnsafeMutableRawPointer?
        for (name, value) in request.fields {
            unsafe list = append("\(name): \(value)", to: list)
        }
        unsafe list = append("Expect:", to: list)
        unsafe _ = relay_curl_set_pointer(set, handle.pointer, 10_023, list)  // HTTPHEADER
        defer { unsafe relay_curl_end(free, list) }
        return run(handle, into: reception)
    }

    private func run(_ handle: Handle, into reception: Reception) -> CInt {
        let context = unsafe Unmanaged.passUnretained(reception).toOpaque()
        unsafe _ = relay_curl_set_pointer(set, handle.pointer, 10_001, context)  // WRITEDATA
        unsafe _ = relay_curl_set_pointer(set, handle.pointer, 10_029, context)  // HEADERDATA
        unsafe _ = relay_curl_set_callback(set, handle.pointer, 20_011) {  // WRITEFUNCTION
            bytes, size, count, context in
            let piece = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
            let isTaken = unsafe Reception.at(context)?.receive(piece) ?? false
            return isTaken ? size * count : 0
        }
        unsafe _ = relay_curl_set_callback(set, handle.pointer, 20_079) {  // HEADERFUNCTION
            bytes, size, count, context in
            let line = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
            unsafe Reception.at(context)?.receive(line: line)
            return size * count
        }
        unsafe watch(handle, context)
        limitLinger(handle)
        return withExtendedLifetime(reception) { unsafe relay_curl_run(run, handle.pointer) }
    }

    /// Cancels the request when its term ends: libcurl asks about once a second.
    private func watch(_ handle: Handle, _ context: UnsafeMutableRawPointer) {
        set(handle, 43, 0)  // CURLOPT_NOPROGRESS
        unsafe _ = relay_curl_set_pointer(set, handle.pointer, 10_057, context)  // XFERINFODATA
        unsafe _ = relay_curl_set_progress(set, handle.pointer, 20_219) {  // XFERINFOFUNCTION
            context, _, _, _, _ in
            unsafe Reception.at(context)?.term.maySend == true ? 0 : 1
        }
    }

    /// Lets no request outlive its connection: what a closed socket has not sent yet would else
    /// arrive when the link is back, perhaps minutes later, and undo what was done since.
    private func limitLinger(_ handle: Handle) {
        unsafe _ = relay_curl_set_socket(set, handle.pointer, 20_148) {  // SOCKOPTFUNCTION
            _, socket, _ in
            var linger = linger(l_onoff: 1, l_linger: 0)
            let size = socklen_t(MemoryLayout.size(ofValue: linger))
            unsafe setsockopt(socket, SOL_SOCKET, SO_LINGER, &linger, size)
            // A process that was killed closes nothing: then the kernel gives up by itself.
            #if os(Linux)
                let option = TCP_USER_TIMEOUT
                var limit: CInt = 20_000
            #else
                let option = TCP_RXT_CONNDROPTIME
                var limit: CInt = 20
            #endif
            unsafe setsockopt(
                socket, CInt(IPPROTO_TCP), option, &limit, socklen_t(MemoryLayout<CInt>.size))
            return 0
        }
    }

    func set(_ handle: Handle, _ option: CInt, _ value: Int) {
        _ = unsafe relay_curl_set_long(set, handle.pointer, option, value)
    }

    /// libcurl copies the string.
    func set(_ handle: Handle, _ option: CInt, _ value: String) {
        _ = unsafe value.withCString {
            unsafe relay_curl_set_pointer(set, handle.pointer, option, $0)
        }
    }

    private func append(
        _ text: String, to list: UnsafeMutableRawPointer?
    ) -> UnsafeMutableRawPointer? {
        unsafe text.withCString { unsafe relay_curl_append(append, list, $0) } ?? list
    }
}
