// A board for the recipe's sketch, as far as the sketch uses one: a clock that only moves when
// somebody waits, a button, NVS with as many entries as a partition of 20 KiB has, and a relay.
#pragma once
#include <cstdint>
#include <cstring>
#include <ctime>
#include <functional>
#include <map>
#include <string>
#include <vector>

struct String : std::string {
  String() {}
  String(const char *text) : std::string(text) {}
  String(const std::string &text) : std::string(text) {}
  explicit String(int number) : std::string(std::to_string(number)) {}
  explicit String(uint32_t number, int base = 10) {
    char text[16];
    snprintf(text, sizeof text, base == 16 ? "%x" : "%u", number);
    assign(text);
  }
  int indexOf(const char *text) const { return (int)find(text); }
};
inline String operator+(const String &left, const String &right) {
  return String(static_cast<const std::string &>(left) + static_cast<const std::string &>(right));
}
inline String operator+(const char *left, const String &right) { return String(left) + right; }
inline String operator+(const String &left, const char *right) { return left + String(right); }

enum { LOW = 0, HIGH = 1, INPUT_PULLUP = 5, OUTPUT = 3, HEX = 16 };

struct Board {
  uint64_t now = 0;  // Milliseconds since the start.
  time_t wall = 0;   // Unix seconds at the start; 0 while the clock is not set.
  std::function<void()> tick;
  std::vector<std::pair<uint64_t, uint64_t>> presses;  // From when to when the button is down.
  bool led = false;
  // What flash holds; it outlives a start.
  std::map<std::string, std::string> nvs;
  int brokenWrites = 0;  // So many writes that fail.
  // The relay.
  bool isSilent = false;
  int status = 200;
  bool isOther = false;  // Something else answers at the relay's address.
  std::vector<std::string> bodies;

  void wait(uint64_t milliseconds) {
    for (uint64_t end = now + milliseconds; now < end; now += 5) {
      if (tick) tick();
    }
  }
  // Three entries a blob (its index, its header, its data), two a text, one a number; 126 a page,
  // five pages of which one stays spare, and what the radio keeps there.
  size_t entries() const {
    size_t count = 60;
    for (const auto &item : nvs) {
      char kind = item.second[0];
      count += kind == 'b' ? 2 + (item.second.size() + 30) / 32 : kind == 's' ? 2 : 1;
    }
    return count;
  }
  bool put(const std::string &key, const std::string &value) {
    if (brokenWrites > 0) {
      brokenWrites -= 1;
      return false;
    }
    auto before = nvs;
    nvs[key] = value;
    if (entries() <= 4 * 126) return true;
    nvs = before;
    return false;
  }
};
extern Board board;

inline uint32_t millis() { return (uint32_t)board.now; }
inline time_t boardTime() { return board.wall + board.now / 1000; }
#define time(pointer) boardTime()
inline uint32_t esp_random() { return 0x3f9a2c1; }
inline void pinMode(int, int) {}
inline int digitalRead(int) {
  for (const auto &press : board.presses) {
    // Both contacts bounce for 8 ms.
    bool isBouncing = board.now - press.first < 8 || board.now - press.second < 8;
    if (isBouncing && board.now >= press.first) return board.now / 5 % 2 == 0 ? LOW : HIGH;
    if (board.now >= press.first && board.now < press.second) return LOW;
  }
  return HIGH;
}
inline void digitalWrite(int, int level) { board.led = level == HIGH; }
inline void configTime(long, int, const char *) {}

struct SerialPort {
  std::vector<std::string> lines;
  void begin(int) {}
  void println(const String &text) { lines.push_back(text); }
};
extern SerialPort Serial;
