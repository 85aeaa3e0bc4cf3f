# Tasmota on an ESP32 (12 or later): Berry, which keeps presses while the relay is away.
#
# A request holds up all of Tasmota for seconds while the relay is silent, its buttons too. A counter
# goes on in an interrupt: in Configuration > Configure Module, make the button's GPIO "Counter 1"
# instead of "Button 1". Then in the console, so that bouncing contacts count once:
#   Backlog CounterType1 0; CounterDebounce 50; CounterDebounceLow 20; CounterDebounceHigh 20
# Consoles > Manage File system: save this as autoexec.be and restart.
#
# A press goes into flash and leaves it when the relay has answered 200. Its id is a random word,
# made at the very first start, and a number that only grows, so none is used twice, and a press that
# is sent again counts once. With 100 presses in flash, further ones stay in the counter. It works
# without a clock, too: a press that has no time gets that of its receipt.
#
# An ESP8266 has no Berry. There, a rule on a button sends a press once, and with the relay away it is
# gone, as are presses made while the request waits (SetOption73 1 parts the button from its relay):
#   Rule1 ON Button1#State=10 DO WebQuery http://RELAY:2336/log/GOAL POST [Authorization:Bearer TOKEN] 1 ENDON
#   Rule1 1
import json
import math
import persist
import string

class Press
  static URL = "http://RELAY:2336/log/GOAL"
  static TOKEN = "TOKEN"  # beemed-relay device add tasmota --goals GOAL
  static ROOM = 100       # Presses that flash holds.
  # Refusals of one press alone: sent again it would be refused again, and hold up the others.
  static REFUSED = [400, 409, 413, 415, 422]
  var seen
  var seconds

  def init()
    self.seconds = 0
    if !persist.has("press_name")
      math.srand(tasmota.millis() + tasmota.rtc()["local"])
      var mac = string.split(tasmota.wifi()["mac"], ":").concat()
      persist.press_name = string.format("t%08x%s-", math.rand(), mac)
      persist.press_count = 0
      persist.press_waiting = []
      persist.save()
    end
    # Where the counter stood when it was last read; after a loss of power it begins with less.
    self.seen = int(persist.find("press_seen", self.counter()))
    if self.seen > self.counter() self.seen = self.counter() end
  end

  def counter()
    return int(tasmota.cmd("Counter1", true)["Counter1"])
  end

  # Takes over what the counter has counted. It is in flash when this returns.
  def keep()
    var total = self.counter()
    if total < self.seen self.seen = total end  # Somebody has set it back.
    if total == self.seen || size(persist.press_waiting) >= self.ROOM return end
    var now = tasmota.rtc()["utc"]
    while self.seen < total && size(persist.press_waiting) < self.ROOM
      self.seen += 1
      persist.press_count += 1
      persist.press_waiting.push([persist.press_count, now > 1700000000 ? now : 0])
    end
    persist.press_seen = self.seen
    persist.dirty()
    persist.save()
    self.send()
  end

  # Sends what waits, oldest first.
  def send()
    while size(persist.press_waiting) > 0
      var oldest = persist.press_waiting[0]
      var body = {"value": 1, "id": persist.press_name .. str(oldest[0])}
      if oldest[1] > 0 body["timestamp"] = oldest[1] end
      var client = webclient()
      client.begin(self.URL)
      client.set_timeouts(4000, 2000)
      client.add_header("Authorization", "Bearer " + self.TOKEN)
      var status = client.POST(json.dump(body))
      # The relay's answers are short. A long one is a proxy's or a login page's, and is not read.
      var answer = ""
      if status > 0 && client.get_size() < 2048 answer = client.get_string() end
      client.close()
      # Others than the relay answer 200 and 403, too; these are the relay's own words.
      var is_taken = status == 200 && string.find(answer, '"ok":true') >= 0
      var is_refused = self.REFUSED.find(status) != nil && string.find(answer, '"code":"') >= 0
      if !is_taken print("Press " .. (is_refused ? "refused: " : "waits: ") .. str(status)) end
      if !is_taken && !is_refused return end  # Again in ten seconds, with the same id.
      persist.press_waiting.remove(0)
      persist.dirty()
      persist.save()
    end
  end

  # Tasmota calls this once a second. (A cron would not run before the clock is set.)
  def every_second()
    self.keep()
    self.seconds += 1
    if self.seconds % 10 == 0 self.send() end
  end
end

tasmota.add_driver(Press())
