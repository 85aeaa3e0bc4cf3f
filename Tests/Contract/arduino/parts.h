// The parts of the Arduino core that the recipes use, on top of `board`.
#pragma once
#include "board.h"

struct Preferences {
  void begin(const char *) {}
  size_t putUInt(const char *key, uint32_t number) {
    return board.put(key, "u" + std::to_string(number)) ? 4 : 0;
  }
  uint32_t getUInt(const char *key, uint32_t other) {
    auto item = board.nvs.find(key);
    return item == board.nvs.end() ? other : (uint32_t)std::stoul(item->second.substr(1));
  }
  size_t putString(const char *key, const String &text) {
    return board.put(key, "s" + text) ? text.size() : 0;
  }
  String getString(const char *key, const char *other) {
    auto item = board.nvs.find(key);
    return item == board.nvs.end() ? String(other) : String(item->second.substr(1));
  }
  size_t putBytes(const char *key, const void *bytes, size_t size) {
    return board.put(key, "b" + std::string((const char *)bytes, size)) ? size : 0;
  }
  size_t getBytes(const char *key, void *bytes, size_t size) {
    auto item = board.nvs.find(key);
    if (item == board.nvs.end() || item->second.size() - 1 > size) return 0;
    memcpy(bytes, item->second.data() + 1, item->second.size() - 1);
    return item->second.size() - 1;
  }
  bool remove(const char *key) { return board.nvs.erase(key) == 1; }
};

struct Ticker {
  void attach_ms(uint32_t, void (*action)()) { board.tick = action; }
};

enum { WIFI_STA = 1, WL_CONNECTED = 3 };
struct Radio {
  void mode(int) {}
  void begin(const char *, const char *) {}
  void setAutoReconnect(bool) {}
  int status() { return WL_CONNECTED; }
};
extern Radio WiFi;
struct WiFiClient {};

struct HTTPClient {
  uint32_t patience = 5000;
  void setConnectTimeout(int32_t) {}
  void setTimeout(uint16_t milliseconds) { patience = milliseconds; }
  bool begin(WiFiClient &, const String &) { return true; }
  void addHeader(const String &, const String &) {}
  int POST(const String &body) {
    board.wait(board.isSilent ? patience : 20);
    if (board.isSilent) return -11;
    board.bodies.push_back(body);
    return board.status;
  }
  String getString() {
    if (board.isOther) return String("<html>Sign in</html>");
    return String(board.status == 200 ? "{\"ok\":true}" : "{\"code\":\"unusable_value\"}");
  }
  int getSize() { return (int)getString().size(); }
  void end() {}
};
