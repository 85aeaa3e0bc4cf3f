/// Programs and libraries on larger machines.
extension ClientCase {
    static let programs = [
        ClientCase(
            client: "Home Assistant rest_command, octet-stream",
            head: """
                POST /log/water HTTP/1.1
                Host: RELAY
                User-Agent: HomeAssistant/2026.1.0 aiohttp/3.14.0 Python/3.13
                Authorization: Bearer TOKEN
                Accept: */*
                Accept-Encoding: gzip, deflate, br
                Content-Length: LENGTH
                Content-Type: application/octet-stream
                """, body: #"{"value": "1", "comment": "tür"}"#, comment: "tür", parsed: "json"),
        ClientCase(
            client: "Home Assistant rest_command, get",
            head: """
                GET /log/water/trigger?value=+1 HTTP/1.1
                Host: RELAY
                Authorization: Basic BASIC
                Accept: */*
                Accept-Encoding: gzip, deflate, br
                User-Agent: HomeAssistant/2026.1.0 aiohttp/3.14.0 Python/3.13
                """, parsed: "empty"),
        ClientCase(
            client: "Home Assistant rest switch, text/plain",
            head: """
                POST /log/water HTTP/1.1
                Host: RELAY
                Authorization: Bearer TOKEN
                Content-Length: LENGTH
                Content-Type: text/plain; charset=utf-8
                """, body: "1", parsed: "text"),
        ClientCase(
            client: "Node-RED, a number without a type",
            head: """
                POST /log/water HTTP/1.1
                user-agent: got (https://github.com/sindresorhus/got)
                authorization: Bearer TOKEN
                content-length: LENGTH
                Host: RELAY
                Connection: keep-alive
                """, body: "2.5", value: 2.5, parsed: "text"),
        ClientCase(
            client: "Node's http.request with write, chunked",
            head: """
                POST /log HTTP/1.1
                authorization: Bearer TOKEN
                Host: RELAY
                Connection: keep-alive
                Transfer-Encoding: chunked
                """,
            body: "e\r\n{\"goal\":\"water\r\nb\r\n\",\"value\":1\r\n1\r\n}\r\n0\r\n\r\n",
            parsed: "json"),
        ClientCase(
            client: "undici's fetch, a text",
            head: """
                POST /log/water HTTP/1.1
                host: RELAY
                connection: keep-alive
                authorization: Bearer TOKEN
                content-type: text/plain;charset=UTF-8
                accept: */*
                accept-language: *
                sec-fetch-mode: cors
                user-agent: node
                accept-encoding: gzip, deflate
                content-length: LENGTH
                """, body: "+1", parsed: "text"),
        ClientCase(
            client: "Stream Deck, a browser's fetch",
            head: """
                POST /log/water HTTP/1.1
                Host: RELAY
                Connection: keep-alive
                Content-Length: LENGTH
                User-Agent: Mozilla/5.0 QtWebEngine/5.15 Chrome/112 Safari/537.36
                Content-Type: text/plain
                Authorization: Bearer TOKEN
                Accept: */*
                Origin: file://
                Sec-Fetch-Site: cross-site
                Sec-Fetch-Mode: cors
                Accept-Encoding: gzip, deflate
                """, body: "+1", parsed: "text"),
        ClientCase(
            client: "axios, a text made JSON",
            head: """
                POST /log/water HTTP/1.1
                Accept: application/json, text/plain, */*
                Content-Type: application/json
                Authorization: Bearer TOKEN
                User-Agent: axios/1.7.2
                Content-Length: LENGTH
                Accept-Encoding: gzip, compress, deflate, br
                Host: RELAY
                Connection: keep-alive
                """, body: #""+1""#, parsed: "text"),
        ClientCase(
            client: "Go's http.Post with an empty type and no body",
            head: """
                POST /log/water?token=TOKEN HTTP/1.1
                Host: RELAY
                User-Agent: Go-http-client/1.1
                Content-Length: 0
                Content-Type:\u{20}
                Accept-Encoding: gzip
                """, parsed: "empty"),
        ClientCase(
            client: "Go's io.Pipe, chunked",
            head: """
                POST /log/water HTTP/1.1
                Host: RELAY
                User-Agent: Go-http-client/1.1
                Transfer-Encoding: chunked
                Authorization: Bearer TOKEN
                Accept-Encoding: gzip
                """, body: "2\r\n+1\r\n0\r\n\r\n", parsed: "text"),
        ClientCase(
            client: "Python's requests with a generator, chunked",
            head: """
                POST /log/water HTTP/1.1
                Host: RELAY
                User-Agent: python-requests/2.34.0
                Accept-Encoding: gzip, deflate
                Accept: */*
                Connection: keep-alive
                Authorization: Bearer TOKEN
                Transfer-Encoding: chunked
                """, body: "6\r\nvalue=\r\n1\r\n4\r\n0\r\n\r\n", value: 4, parsed: "form"),
        ClientCase(
            client: "Python's urllib",
            head: """
                POST /log HTTP/1.1
                Accept-Encoding: identity
                Content-Type: application/x-www-form-urlencoded
                Content-Length: LENGTH
                Host: RELAY
                User-Agent: Python-urllib/3.11
                Authorization: Bearer TOKEN
                Connection: close
                """, body: "goal=water&value=-1", value: -1, parsed: "form", closes: true),
        ClientCase(
            client: "httpx, bytes without a type",
            head: """
                POST /log/water HTTP/1.1
                Host: RELAY
                Accept: */*
                Accept-Encoding: gzip, deflate
                Connection: keep-alive
                User-Agent: python-httpx/0.28.1
                Authorization: Bearer TOKEN
                Content-Length: LENGTH
                """, body: "+1", parsed: "text"),
        ClientCase(
            client: "HTTPie",
            head: """
                POST /log HTTP/1.1
                Host: RELAY
                User-Agent: HTTPie/3.2.4
                Accept-Encoding: gzip, deflate
                Accept: application/json, */*;q=0.5
                Connection: keep-alive
                Authorization: Bearer TOKEN
                Content-Type: application/json
                Content-Length: LENGTH
                """, body: #"{"goal": "water", "value": 1}"#, parsed: "json"),
        ClientCase(
            client: "wget --post-data",
            head: """
                POST /log/water HTTP/1.1
                Host: RELAY
                User-Agent: Wget/1.21.3
                Accept: */*
                Accept-Encoding: identity
                Authorization: Basic BASIC
                Connection: Keep-Alive
                Content-Type: application/x-www-form-urlencoded
                Content-Length: LENGTH
                """, body: "+1", parsed: "text"),
        ClientCase(
            client: "Perl's HTTP::Tiny",
            head: """
                POST /log/water HTTP/1.1
                Host: RELAY
                Connection: close
                User-Agent: HTTP-Tiny/0.088
                Authorization: Bearer TOKEN
                Content-Type: application/octet-stream
                Content-Length: LENGTH
                """, body: #"1 "with milk""#, comment: "with milk", parsed: "text", closes: true),
        ClientCase(
            client: "PowerShell 5.1, which waits for 100",
            head: """
                POST /log/water HTTP/1.1
                User-Agent: Mozilla/5.0 (Windows NT; Windows NT 10.0; de-DE) WindowsPowerShell/5.1
                Authorization: Bearer TOKEN
                Content-Type: application/x-www-form-urlencoded
                Host: RELAY
                Content-Length: LENGTH
                Expect: 100-continue
                Connection: Keep-Alive
                """, body: "value=1&comment=caf%C3%A9", comment: "café", parsed: "form",
            awaitsGoAhead: true),
        ClientCase(
            client: "Swift's URLSession on Linux, no blank behind the colon",
            head: """
                POST /log/water HTTP/1.1
                Host: RELAY
                Authorization:Bearer TOKEN
                User-Agent:m (unknown version) curl/7.88.1
                Accept:*/*
                Content-Type:application/x-www-form-urlencoded
                Content-Length:LENGTH
                """, body: "{\"value\":1}\n", parsed: "json"),
        ClientCase(
            client: "Apple Shortcuts, JSON",
            head: """
                POST /log HTTP/1.1
                Host: RELAY
                Content-Type: application/json
                Connection: keep-alive
                Accept: */*
                User-Agent: BackgroundShortcutRunner/1417.1 CFNetwork/1406.0.4 Darwin/22.4.0
                Content-Length: LENGTH
                Accept-Language: en-GB,en;q=0.9
                Authorization: Bearer TOKEN
                Accept-Encoding: gzip, deflate, br
                """, body: "\u{FEFF}{\"goal\":\"water\",\"value\":\"1\",\"comment\":null}\r\n",
            parsed: "json"),
    ]
}
