// Lines to copy for each kind of device, with address and token in them. The manual has more of each.

/** By kind: a name, a text to copy, the recipe's file. */
export function deviceLines({ address, goal, token }) {
  const url = `${address}/log/${goal}`;
  const post = `POST ${url}\nAuthorization: Bearer ${token}`;
  return [
    ["Shell (curl)", `curl -H "Authorization: Bearer ${token}" -d '+1' ${url}`, "press.sh"],
    ["Anything that fetches a URL", `${url}/trigger?token=${token}`, "shelly-gen1.md"],
    ["Apple Shortcuts", post, "shortcuts.md"],
    ["ESP32, ESP8266 (Arduino)", `const char *URL = "${url}";\nconst char *TOKEN = "${token}";`, "esp32-arduino.ino"],
    ["ESPHome", `on_press:\n  - http_request.post:\n      url: ${url}\n      request_headers: {Authorization: Bearer ${token}}\n      json: {value: "1"}`, "esphome.yaml"],
    ["MicroPython", `requests.post("${url}", json={"value": 1, "id": id},\n    headers={"Authorization": "Bearer ${token}"}, timeout=5)`, "micropython.py"],
    ["Home Assistant", `rest_command:\n  beeminder:\n    url: "${url}"\n    method: post\n    headers: {Authorization: "Bearer ${token}"}\n    content_type: application/json\n    payload: '{"value": {{ value | default(1) }}, "id": "{{ id }}"}'`, "home-assistant.yaml"],
    ["Shelly", `${url}/trigger?token=${token}`, "shelly-gen2.js"],
    ["Tasmota", `Rule1 ON Button1#State=10 DO WebQuery ${url} POST [Authorization:Bearer ${token}] {"value":1} ENDON`, "tasmota.be"],
    ["Node-RED", post, "node-red.json"],
    ["Tasker", post, "tasker.md"],
    ["Flic", post, "flic.js"],
    ["myStrom", `single=post://any:${token}@${url.replace(/^https?:\/\//, "")}`, "mystrom.md"],
  ];
}
