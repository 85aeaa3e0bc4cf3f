// A button on an ESP32 that keeps its presses: with the relay away, the power gone, or no clock.
//
// Arduino core for ESP32 2.0 or later, nothing to install. A timer looks at the button, since a
// request holds up loop() for seconds while the relay is silent. A press goes into flash and is
// forgotten only when the relay has answered 200. Its id is a random word, made at the very first
// start, and a number that only grows, so no id is ever used twice, and a press that is sent again
// counts once.
//
// Flash has room for 64 presses, memory for 32 more. The LED is lit while a press waits, blinks when
// flash is full or fails, and a press that finds no room at all is counted on the serial monitor.
#include <HTTPClient.h>
#include <Preferences.h>
#include <Ticker.h>
#include <WiFi.h>
#include <time.h>
#include <atomic>

const char *WIFI_NAME = "WIFI";
const char *WIFI_PASSWORD = "PASSWORD";
const char *URL = "http://RELAY:2336/log/GOAL";
const char *TOKEN = "TOKEN";  // beemed-relay device add button --goals GOAL
const int BUTTON = 0;         // The BOOT button of most boards; to ground when pressed.
const int LED = 2;
// A press takes three of the some 500 entries that the partition of 20 KiB has beside a spare page.
const uint32_t ROOM = 64;
const uint32_t MEMORY = 32;

struct Press {
  uint32_t at;      // Unix seconds; 0 when the clock was not set yet.
  uint32_t millis;  // Since the start, to tell its age if the clock never gets set.
  uint32_t start;   // Which start that was.
};

Preferences flash;
Ticker ticker;
WiFiClient wire;
String name;            // "k3f9a2c1-": what all ids of this board begin with.
uint32_t first, next_;  // Presses first..<next_ wait in flash.
uint32_t starts;        // How often this board has started.
bool isFlashWell = true;

// Written by the timer alone: the presses heard, and when. `kept` is loop()'s side of it.
std::atomic<uint32_t> heard{0}, lost{0};
std::atomic<uint32_t> kept{0};
volatile uint32_t heardAt[MEMORY];

// Every 5 ms, in the timer's own task. A level counts when it has lasted: contacts bounce.
void lookAtButton() {
  static uint8_t level = 0;
  static bool isDown = false;
  if (digitalRead(BUTTON) == LOW) {
    if (level < 4) level += 1;
  } else if (level > 0) {
    level -= 1;
  }
  if (isDown && level == 0) isDown = false;
  if (isDown || level < 4) return;
  isDown = true;
  uint32_t number = heard;
  if (number - kept >= MEMORY) {
    lost += 1;
    return;
  }
  heardAt[number % MEMORY] = millis();
  heard = number + 1;
}

// Where a press lies in flash: one of ROOM places, freed when it is sent.
String place(uint32_t number) { return "p" + String(number % ROOM); }

bool remember(const char *key, uint32_t number) {
  return flash.putUInt(key, number) == sizeof number;
}

void setup() {
  Serial.begin(115200);
  pinMode(BUTTON, INPUT_PULLUP);
  pinMode(LED, OUTPUT);
  ticker.attach_ms(5, lookAtButton);
  WiFi.mode(WIFI_STA);  // First: the radio is where true chance comes from.
  flash.begin("presses");
  name = flash.getString("name", "");
  if (name == "") {
    name = "k" + String(esp_random(), HEX) + "-";
    flash.putString("name", name);
  }
  first = flash.getUInt("first", 1);
  next_ = flash.getUInt("next", first);
  starts = flash.getUInt("starts", 0) + 1;
  remember("starts", starts);
  WiFi.begin(WIFI_NAME, WIFI_PASSWORD);
  WiFi.setAutoReconnect(true);
  configTime(0, 0, "pool.ntp.org");
}

// The oldest press heard, into flash: first the press, and only then the number that makes it
// count. False when it stays in memory, because flash is full or does not take it.
bool keep() {
  if (next_ - first >= ROOM) return false;
  uint32_t heardMillis = heardAt[kept % MEMORY];
  time_t now = time(nullptr);
  uint32_t ago = ((uint32_t)millis() - heardMillis) / 1000;
  Press press = {now > 1700000000 ? (uint32_t)now - ago : 0, heardMillis, starts};
  isFlashWell = flash.putBytes(place(next_).c_str(), &press, sizeof press) == sizeof press &&
                remember("next", next_ + 1);
  if (!isFlashWell) return false;
  next_ += 1;
  kept += 1;
  return true;
}

// Sends the oldest press in flash. True when it is done with.
bool sendFirst() {
  Press press;
  String body = "{\"value\":1,\"id\":\"" + name + String(first) + "\"";
  bool isWhole = flash.getBytes(place(first).c_str(), &press, sizeof press) == sizeof press;
  if (isWhole && press.at != 0) {
    body += ",\"timestamp\":" + String(press.at);
  } else if (isWhole && press.start == starts) {
    // The relay refuses an age of more than 35 days; an older press counts when it arrives.
    uint32_t age = ((uint32_t)millis() - press.millis) / 1000;
    if (age < 3000000) body += ",\"age\":" + String(age);
  }  // Else nobody knows when it was: the relay takes the time it arrives.
  HTTPClient http;
  http.setConnectTimeout(3000);
  http.setTimeout(5000);
  if (!http.begin(wire, URL)) return false;
  http.addHeader("Authorization", String("Bearer ") + TOKEN);
  http.addHeader("Content-Type", "application/json");
  int status = http.POST(body + "}");
  // The relay's answers are short. A long one is a proxy's or a login page's, and is not read.
  String answer = status > 0 && http.getSize() < 2048 ? http.getString() : String("");
  if (status != 200) Serial.println(String(status) + " " + answer);
  http.end();
  // These are about this press alone: sent again it would be refused again, and hold up the
  // others. After anything else it waits, as all presses of this board would meet the same.
  bool isRefused = status == 400 || status == 409 || status == 413 || status == 415 || status == 422;
  // Others than the relay answer so, too; these are the relay's own words.
  isRefused = isRefused && answer.indexOf("\"code\":\"") >= 0;
  if (isRefused) Serial.println("refused for good: " + body + "}");
  return isRefused || (status == 200 && answer.indexOf("\"ok\":true") >= 0);
}

void loop() {
  static uint32_t triedAt = 0, told = 0;
  while (kept != heard && keep()) triedAt = 0;
  bool isTime = triedAt == 0 || millis() - triedAt > 10000;
  if (first != next_ && isTime && WiFi.status() == WL_CONNECTED) {
    if (sendFirst() && remember("first", first + 1)) {
      flash.remove(place(first).c_str());
      first += 1;
      triedAt = 0;
    } else {
      triedAt = millis() | 1;  // Again in ten seconds, with the same id.
    }
  }
  bool isFull = kept != heard && (next_ - first >= ROOM || !isFlashWell);
  bool isLit = isFull ? millis() / 125 % 2 == 0 : first != next_ || kept != heard;
  digitalWrite(LED, isLit ? HIGH : LOW);  // Dark: the relay has them all.
  if (lost != told) {
    told = lost;
    Serial.println("no room; presses lost: " + String(told));
  }
}
