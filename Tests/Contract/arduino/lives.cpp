// Lives of a board with the recipe's sketch. Prints nothing and ends with 0 when all goes well.
#include "board.h"
#include "parts.h"
#include SKETCH
#include <cstdio>
#include <cstdlib>
#include <set>

Board board;
SerialPort Serial;
Radio WiFi;

#define expect(claim) \
  if (!(claim)) { fprintf(stderr, "line %d: %s\n", __LINE__, #claim); exit(1); }

static void run(uint64_t milliseconds) {
  for (uint64_t end = board.now + milliseconds; board.now < end; board.wait(5)) loop();
}

static void pressAt(uint64_t delay) {
  board.presses.push_back({board.now + delay, board.now + delay + 80});
}

static void restart() {
  heard = kept = lost = 0;
  board.now = 0;
  board.presses.clear();
  setup();
}

static std::set<std::string> ids() {
  std::set<std::string> ids;
  for (const auto &body : board.bodies) {
    size_t start = body.find("\"id\":\"") + 6;
    ids.insert(body.substr(start, body.find('"', start) - start));
  }
  return ids;
}

int main() {
  setup();
  // Many more presses than flash has places: each is sent once, and flash does not fill.
  for (int number = 0; number < 500; number++) {
    pressAt(0);
    run(300);
  }
  expect(board.bodies.size() == 500 && ids().size() == 500);
  expect(board.entries() < 100 && !board.led);

  // A silent relay: what is pressed during a request that blocks is heard, with its time.
  board.wall = 1770000000;
  board.isSilent = true;
  size_t before = board.bodies.size();
  for (int number = 0; number < 20; number++) pressAt(number * 250);
  uint64_t pressedAt = boardTime();
  run(60000);
  expect(board.led && lost == 0);
  board.isSilent = false;
  run(30000);
  expect(board.bodies.size() == before + 20 && ids().size() == 520);
  // The last was made 4.75 s later, and kept when the request had given up.
  std::string late = board.bodies[before + 19];
  uint64_t at = std::stoull(late.substr(late.find("\"timestamp\":") + 12));
  expect(at >= pressedAt + 4 && at <= pressedAt + 5);

  // The power fails while presses wait; they are sent after the start, under the same ids.
  board.isSilent = true;
  for (int number = 0; number < 5; number++) pressAt(number * 250);
  run(10000);
  restart();
  board.isSilent = false;
  run(20000);
  expect(board.bodies.size() == before + 25 && ids().size() == 525);

  // Flash full: memory keeps 32 more, the LED blinks, and none is lost.
  board.isSilent = true;
  for (int number = 0; number < 96; number++) {
    pressAt(0);
    run(250);
  }
  run(10000);
  expect(lost == 0 && next_ - first == ROOM && heard - kept == MEMORY);
  std::set<bool> leds;
  for (int number = 0; number < 10; number++) {
    run(60);
    leds.insert(board.led);
  }
  expect(leds.size() == 2);
  pressAt(0);
  run(6000);
  expect(lost == 1 && !Serial.lines.empty());
  board.isSilent = false;
  run(60000);
  expect(board.bodies.size() == before + 25 + 96 && ids().size() == 621 && !board.led);

  // A write that fails is tried again, and its press is not counted before it is there.
  board.brokenWrites = 3;
  pressAt(0);
  run(2000);
  expect(board.bodies.size() == before + 122 && ids().size() == 622);

  // A press that is refused for good does not hold up the next; a wrong token does.
  board.status = 422;
  pressAt(0);
  run(1000);
  board.status = 401;
  pressAt(0);
  run(1000);
  board.status = 200;
  size_t answered = ids().size();
  run(20000);
  expect(ids().size() == answered && !board.led);
  pressAt(0);
  run(1000);
  expect(ids().size() == answered + 1);

  // A login page answers in the relay's place: the press waits for the relay.
  board.isOther = true;
  for (int status : {200, 422}) {
    board.status = status;
    pressAt(0);
    run(20000);
    expect(board.led);
  }
  expect(ids().size() == answered + 2);
  board.isOther = false;
  board.status = 200;
  run(20000);
  expect(ids().size() == answered + 3 && !board.led);
}
