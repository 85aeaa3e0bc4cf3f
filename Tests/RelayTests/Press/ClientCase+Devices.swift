/// Small devices, and what they call HTTP.
extension ClientCase {
    static let devices = [
        ClientCase(
            client: "MicroPython before 2026, HTTP/1.0, json=",
            head: """
                POST /log HTTP/1.0
                Host: 192.168.1.20
                Authorization: Bearer TOKEN
                Content-Type: application/json
                Content-Length: LENGTH
                """, body: #"{"value": 1, "goal": "water"}"#, parsed: "json", closes: true),
        ClientCase(
            client: "MicroPython before 2026, HTTP/1.0, no data",
            head: """
                POST /log/water HTTP/1.0
                Host: 192.168.1.20
                Authorization: Bearer TOKEN
                """, parsed: "empty", closes: true),
        ClientCase(
            client: "MicroPython since 2026, a text",
            head: """
                POST /log/water HTTP/1.1
                Host: 192.168.1.20
                Connection: close
                Authorization: Bearer TOKEN
                Content-Length: LENGTH
                """, body: "+1", parsed: "text", closes: true),
        ClientCase(
            client: "CircuitPython, a dictionary joined without encoding",
            head: """
                POST /log HTTP/1.1
                Host: 192.168.1.20
                User-Agent: Adafruit CircuitPython
                X-Relay-Token: TOKEN
                Content-Type: application/x-www-form-urlencoded
                Content-Length: LENGTH
                """, body: "goal=water&value=1&comment=with milk", comment: "with milk",
            parsed: "form"),
        ClientCase(
            client: "ESP32 HTTPClient, POST(\"\")",
            head: """
                POST /log/water HTTP/1.1
                Host: RELAY
                User-Agent: ESP32HTTPClient
                Connection: keep-alive
                Accept-Encoding: identity;q=1,chunked;q=0.1,*;q=0
                Authorization: Basic BASIC
                """, parsed: "empty"),
        ClientCase(
            client: "ESP32 HTTPClient, JSON without a type",
            head: """
                POST /log HTTP/1.1
                Host: RELAY
                User-Agent: ESP32HTTPClient
                Connection: keep-alive
                Accept-Encoding: identity;q=1,chunked;q=0.1,*;q=0
                Authorization: Bearer TOKEN
                Content-Length: LENGTH
                """, body: #"{"goal":"water","value":1,"id":"esp-1"}"#, parsed: "json"),
        ClientCase(
            client: "ESP8266HTTPClient, GET with a length",
            head: """
                GET /log/water/trigger?token=TOKEN HTTP/1.1
                Host: RELAY
                User-Agent: ESP8266HTTPClient
                Accept-Encoding: identity;q=1,chunked;q=0.1,*;q=0
                Connection: keep-alive
                Content-Length: 0
                """, parsed: "empty"),
        ClientCase(
            client: "ESP-IDF, JSON called a form",
            head: """
                POST /log/water HTTP/1.1
                User-Agent: ESP32 HTTP Client/1.0
                Host: RELAY
                Authorization: Bearer TOKEN
                Content-Type: application/x-www-form-urlencoded
                Content-Length: LENGTH
                """, body: #"{"value":3}"#, value: 3, parsed: "json"),
        ClientCase(
            client: "ESPHome json:, all texts, no type",
            head: """
                POST /log HTTP/1.1
                User-Agent: ESPHome/2024.10.0 (https://esphome.io)
                Host: RELAY
                Authorization: Bearer TOKEN
                Content-Length: LENGTH
                """, body: #"{"goal":"water","value":"42.0","id":"17"}"#, value: 42,
            parsed: "json"),
        ClientCase(
            client: "Tasmota WebSend, only blanks encoded",
            head: """
                GET /log/water/trigger?value=1&comment=with%20milk&token=TOKEN HTTP/1.1
                Host: RELAY
                User-Agent: ESP8266HTTPClient
                Accept-Encoding: identity;q=1,chunked;q=0.1,*;q=0
                Connection: close
                Content-Length: 0
                """, comment: "with milk", parsed: "empty", closes: true),
        ClientCase(
            client: "Tasmota WebQuery",
            head: """
                POST /log/water HTTP/1.1
                Host: RELAY
                User-Agent: ESP32HTTPClient
                Connection: keep-alive
                Accept-Encoding: identity;q=1,chunked;q=0.1,*;q=0
                Authorization: Bearer TOKEN
                Content-Type: application/json
                Content-Length: LENGTH
                """, body: #"{"value":1}"#, parsed: "json"),
        ClientCase(
            client: "Shelly Gen1, a URL with a password and what it appends",
            head: """
                GET /log/water/trigger?hum=48&temp=21.5&id=shellyht-1 HTTP/1.1
                Host: RELAY
                Authorization: Basic BASIC
                User-Agent: Shelly/20230913-112531/v1.14.0-gcb84623 (SHHT-1)
                Content-Length: 0
                Connection: close
                """, parsed: "empty", metadata: ["hum": "48", "temp": "21.5", "id": "shellyht-1"],
            closes: true),
        ClientCase(
            client: "Shelly Gen2 webhook",
            head: """
                GET /log/water/trigger?value=0.5&token=TOKEN HTTP/1.1
                Host: RELAY
                User-Agent: shelly
                Accept: */*
                """, value: 0.5, parsed: "empty"),
        ClientCase(
            client: "myStrom, its query moved into the body",
            head: """
                POST /log HTTP/1.1
                Host: 192.168.1.20:80
                Connection: close
                Content-Type: application/x-www-form-urlencoded
                Content-Length: LENGTH
                """, body: "token=TOKEN&goal=water&value=1&mac=E2A1F2A3B4C5&action=1&battery=97",
            parsed: "form",
            metadata: ["mac": "E2A1F2A3B4C5", "action": "1", "battery": "97"], closes: true),
        ClientCase(
            client: "myStrom, get://",
            head: """
                GET /log/water/trigger?token=TOKEN&mac=E2A1F2A3B4C5&action=2 HTTP/1.1
                Host: 192.168.1.20:80
                Connection: close
                """, parsed: "empty", metadata: ["mac": "E2A1F2A3B4C5", "action": "2"],
            closes: true),
        ClientCase(
            client: "Flic hub, any header and a text",
            head: """
                POST /log/water HTTP/1.1
                Host: RELAY
                Authorization: Bearer TOKEN
                Content-Type: application/json
                Connection: close
                Content-Length: LENGTH
                """, body: "1", parsed: "text", closes: true),
    ]
}
