# Tasmota on an ESP32 (12 or later): Berry, which loses no press.
#
# Consoles > Manage File system: save this as autoexec.be and restart. In the console:
#   SetOption73 1        (the button no longer switches its relay but sends its state)
# A press goes into flash first and leaves it when the relay has answered 200. Its id is a random
# word, made at the very first start, and a number that only grows, so none is used twice, and a
# press that is sent again counts once.
#
# An ESP8266 has no Berry. There, a rule sends a press once, and with the relay away it is gone:
#   Rule1 ON Button1#State=10 DO WebQuery http://RELAY:2336/log/GOAL POST [Authorization:Bearer TOKEN] 1 ENDON
#   Rule1 1
import json
import math
import persist
import string

class Press
  static URL = "http://RELAY:2336/log/GOAL"
  static TOKEN = "TOKEN"  # beemed-relay device add tasmota --goals GOAL
  static ROOM = 100       # Presses that can wait.

  def init()
    if !persist.has("press_name")
      math.srand(tasmota.millis() + tasmota.rtc()["local"])
      persist.press_name = string.format("t%08x%s-", math.rand(), string.replace(tasmota.wifi("mac"), ":", ""))
      persist.press_count = 0
      persist.press_waiting = []
      persist.save()
    end
  end

  # Keeps a press. It is in flash when this returns.
  def keep()
    if size(persist.press_waiting) >= self.ROOM
      print("Full: this press was not taken.")
      return
    end
    var now = tasmota.rtc()["utc"]
    persist.press_count += 1
    persist.press_waiting.push([persist.press_count, now > 1700000000 ? now : 0])
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
      client.add_header("Authorization", "Bearer " + self.TOKEN)
      var status = client.POST(json.dump(body))
      if status != 200 print("Press waits: " + str(status)) end
      client.close()
      if status != 200 return end  # Again in ten seconds, with the same id.
      persist.press_waiting.remove(0)
      persist.dirty()
      persist.save()
    end
  end
end

var press = Press()
tasmota.add_rule("Button1#State=10", def () press.keep() end)
tasmota.add_cron("*/10 * * * * *", def () press.send() end, "press")
