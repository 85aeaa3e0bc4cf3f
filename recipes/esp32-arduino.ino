// A button on an ESP32 that loses no press: with the relay away, the power gone, or no clock.
//
// Arduino core for ESP32 2.0 or later, nothing to install. A press goes into flash first and is
// forgotten only when the relay has answered 200. Its id is a random word, made at the very first
// start, and a number that only grows, so no id is ever used twice, and a press that is sent
// again counts once.
#include <HTTPClient.h>
#include <Preferences.h>
#include <WiFi.h>
#include <time.h>

const char *WIFI_NAME = "WIFI";
const char *WIFI_PASSWORD = "PASSWORD";
const char *URL = "http://RELAY:2336/log/GOAL";
const char *TOKEN = "TOKEN";  // beemed-relay device add button --goals GOAL
const int BUTTON = 0;         // The BOOT button of most boards; to ground when pressed.
const int LED = 2;            // Lit while a press waits.
const uint32_t ROOM = 200;    // Presses that can wait. One more is shown as full, and not taken.

struct Press {
  uint32_t at;      // Unix seconds; 0 when the clock was not set yet.
  uint32_t millis;  // Since the start, to tell its age if the clock never gets set.
  uint32_t start;   // Which start that was.
};

Preferences flash;
String name;            // "k3f9a2c1-": what all ids of this board begin with.
uint32_t first, next_;  // Presses first..<next_ wait.
uint32_t starts;        // How often this board has started.

// Where a press lies in flash: there are only ROOM places, used again and again.
String place(uint32_t number) { return "p" + String(number % ROOM); }

void setup() {
  pinMode(BUTTON, INPUT_PULLUP);
  pinMode(LED, OUTPUT);
  WiFi.mode(WIFI_STA);  // First: the radio is where true chance comes from.
  flash.begin("presses");
  name = flash.getString("name", "");
  if (name == "") {
    name = "k" + String(esp_random(), HEX) + "-";
    flash.putString("name", name);
  }
  first = flash.getUInt("first", 1);
  next_ = flash.getUInt("next", 1);
  starts = flash.getUInt("starts", 0) + 1;
  flash.putUInt("starts", starts);
  WiFi.begin(WIFI_NAME, WIFI_PASSWORD);
  WiFi.setAutoReconnect(true);
  configTime(0, 0, "pool.ntp.org");
}

// Into flash: the press, and only then the number that makes it count.
bool keep() {
  if (next_ - first >= ROOM) return false;
  time_t now = time(nullptr);
  Press press = {now > 1700000000 ? (uint32_t)now : 0, (uint32_t)millis(), starts};
  flash.putBytes(place(next_).c_str(), &press, sizeof press);
  next_ += 1;
  flash.putUInt("next", next_);
  return true;
}

// The oldest press that waits. True when the relay has it.
bool sendFirst() {
  Press press;
  if (flash.getBytes(place(first).c_str(), &press, sizeof press) != sizeof press) return false;
  String body = "{\"value\":1,\"id\":\"" + name + String(first) + "\"";
  if (press.at != 0) {
    body += ",\"timestamp\":" + String(press.at);
  } else if (press.start == starts) {
    body += ",\"age\":" + String(((uint32_t)millis() - press.millis) / 1000);
  }  // Else nobody knows when it was: the relay takes the time it arrives.
  HTTPClient http;
  http.setConnectTimeout(3000);
  http.setTimeout(5000);
  if (!http.begin(URL)) return false;
  http.addHeader("Authorization", String("Bearer ") + TOKEN);
  int status = http.POST(body + "}");
  if (status != 200) Serial.println(String(status) + " " + http.getString());
  http.end();
  return status == 200;
}

void loop() {
  static bool wasDown = false;
  static uint32_t changedAt = 0, triedAt = 0;
  bool isDown = digitalRead(BUTTON) == LOW;
  if (isDown != wasDown && millis() - changedAt > 30) {  // 30 ms: contacts bounce.
    wasDown = isDown;
    changedAt = millis();
    if (isDown) {
      digitalWrite(LED, keep() ? HIGH : LOW);  // Light: it is safe here.
      triedAt = 0;
    }
  }
  bool isTime = triedAt == 0 || millis() - triedAt > 10000;
  if (first != next_ && isTime && WiFi.status() == WL_CONNECTED) {
    if (sendFirst()) {
      first += 1;
      flash.putUInt("first", first);
      triedAt = 0;
    } else {
      triedAt = millis() | 1;  // Again in ten seconds, with the same id.
    }
    if (first == next_) digitalWrite(LED, LOW);  // Dark: it is safe there.
  }
}
