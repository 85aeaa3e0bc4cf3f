// Shelly, second generation and later (firmware 1.5 or later): a script that keeps presses
// while the relay is away.
//
// Device page > Scripts > Add script; paste, save, start, and switch on "Run on startup".
// A press goes into the script's storage first and leaves it when the relay has answered 200. Its
// id is a random word, made at the very first start, and a number that only grows, so none is used
// twice, and a press that is sent again counts once. In the settings of the input, choose the type
// "Button", else there are no pushes. A press that the relay refuses for good is printed, kept as
// "refused" with the two before it, and does not hold up the others.
let URL = "http://RELAY:2336/log/GOAL";
let TOKEN = "TOKEN"; // beemed-relay device add shelly --goals GOAL
let VALUES = { single_push: 1, double_push: 2 }; // Other events log nothing.
let ROOM = 20; // Presses that can wait: the storage takes about 1,000 characters a key.

let name = Script.storage.getItem("name");
if (!name) {
  name = "s" + Math.floor(Math.random() * 0xffffffff).toString(16) + "-";
  Script.storage.setItem("name", name);
}
let state = JSON.parse(Script.storage.getItem("presses") || '{"count":0,"waiting":[]}');
let sending = false;

function save() {
  Script.storage.setItem("presses", JSON.stringify(state));
}

// Unix seconds, or 0 before the clock is set.
function now() {
  return Shelly.getComponentStatus("sys").unixtime || 0;
}

function press(value) {
  if (state.waiting.length >= ROOM) {
    print("Full: this press was not taken.");
    return;
  }
  state.count += 1;
  state.waiting.push([state.count, value, now()]);
  save();
  send();
}

// The oldest press that waits.
function send() {
  if (sending || state.waiting.length === 0) return;
  let oldest = state.waiting[0];
  let body = { value: oldest[1], id: name + oldest[0] };
  if (oldest[2] > 0) body.timestamp = oldest[2];
  sending = true;
  Shelly.call("HTTP.Request", {
    method: "POST",
    url: URL,
    timeout: 10,
    headers: { Authorization: "Bearer " + TOKEN },
    body: JSON.stringify(body)
  }, function (answer, error, message) {
    sending = false;
    let status = error !== 0 ? 0 : answer.code;
    // A proxy or a login page answers 200 and 403, too; these are the relay's own words.
    let word = status === 200 ? '"ok":true' : '"code":"';
    let text = status > 0 ? answer.body : null;
    if (typeof text === "string" && text.indexOf(word) < 0) status = -status; // Not the relay.
    if (status !== 200) print(name + oldest[0] + ": " + (error !== 0 ? message : answer.body));
    // These are about this press alone. After anything else the timer tries again, with the same
    // id: all presses of this script would hear the same.
    let isRefused = [400, 409, 413, 415, 422].indexOf(status) >= 0;
    if (status !== 200 && !isRefused) return;
    if (isRefused) {
      let refused = JSON.parse(Script.storage.getItem("refused") || "[]");
      refused.push(oldest);
      Script.storage.setItem("refused", JSON.stringify(refused.slice(-3)));
    }
    state.waiting.splice(0, 1);
    save();
    send();
  });
}

Shelly.addEventHandler(function (event) {
  let value = VALUES[event.info.event];
  if (value) press(value);
});
Timer.set(10000, true, send);
send();
