import RelayHTTP
@main struct Main { static func main() throws {
  let loop = Loop()
  var limits = Limits(); limits.connections = 20000; limits.connectionsPerAddress = 20000
  let body = [UInt8](repeating: 65, count: 1500)
  let s = Server(on: loop, limits: limits, Application { ex in ex.map { Answer(to: $0.id, Response(status: 200, fields: [.init("Content-Type","application/json"), .init("ETag", "\"abc\""), .init("Cache-Control","no-cache")], body: body)) } })
  print(try s.listen(on: Endpoint("127.0.0.1:18080")!))
  loop.run()
} }
