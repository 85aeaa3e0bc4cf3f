// Lines to copy for each kind of device, with address and token in them. The manual has more of each.

/** By kind: a name, a text to copy, and the recipe's file. */
export function deviceLines({ address, goal, token }) {
  const url = `${address}/log/${goal}`;
  return {
    curl: ["Shell (curl)", `curl -H "Authorization: Bearer ${token}" -d '+1' ${url}`, "press.sh"],
    fetch: ["Anything that fetches a URL", `${url}/trigger?token=${token}`, "shelly-gen1.md"],
    shortcuts: ["Apple Shortcuts", `URL: ${url}\nMethod: POST\nHeader Authorization: Bearer ${token}`, "shortcuts.md"],
    esp32: ["ESP32, ESP8266 (Arduino)", `const char *URL = "${url}";\nconst char *TOKEN = "${token}";`, "esp32-arduino.ino"],
    esphome: ["ESPHome", `on_press:\n  - http_request.post:\n      url: ${url}\n      request_headers: {Authorization: Bearer ${token}}\n      json: {value: "1"}`, "esphome.yaml"],
    micropython: ["MicroPython", `requests.post("${url}", json={"value": 1, "id": id},\n    headers={"Authorization": "Bearer ${token}"}, timeout=5)`, "micropython.py"],
    homeassistant: ["Home Assistant", `rest_command:\n  beeminder:\n    url: "${url}"\n    method: post\n    headers: {Authorization: "Bearer ${token}"}\n    content_type: application/json\n    payload: '{"value": {{ value | default(1) }}, "id": "{{ id }}"}'`, "home-assistant.yaml"],
    shelly: ["Shelly", `${url}/trigger?token=${token}`, "shelly-gen2.js"],
    tasmota: ["Tasmota", `Rule1 ON Button1#State=10 DO WebQuery ${url} POST [Authorization:Bearer ${token}] {"value":1} ENDON`, "tasmota.be"],
    nodered: ["Node-RED", `POST ${url}\nAuthorization: Bearer ${token}`, "node-red.json"],
    tasker: ["Tasker", `POST ${url}\nAuthorization: Bearer ${token}`, "tasker.md"],
    flic: ["Flic", `POST ${url}\nAuthorization: Bearer ${token}`, "flic.js"],
    mystrom: ["myStrom", `single=post://any:${token}@${url.replace(/^https?:\/\//, "")}`, "mystrom.md"],
  };
}
