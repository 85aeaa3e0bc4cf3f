// Flic Hub: a module for its SDK that keeps presses while the relay is away.
//
// https://hubsdk.flic.io: enable SDK access in the app, create a module, paste this as main.js,
// restart it, and tick "restart after crash". A press is kept in the hub's data store and leaves it
// when the relay has answered 200. Its id is a random word, made at the very first start, and a
// number that only grows, so none is used twice, and a press that is sent again counts once.
// Presses that a button made out of the hub's reach come later; they carry the time they are heard.
// Presses that the relay refuses for good are set aside, the last 100 of them, and the others go on. To send it
// again once the reason is mended, set RETRY to true and restart the module.
var buttons = require("buttons");
var http = require("http");
var datastore = require("datastore");

var URL = "http://RELAY:2336/log/";
var TOKEN = "TOKEN"; // beemed-relay device add flic --goals GOAL
// Which button logs to which goal, by the name it has in the app; "*" is any other one.
var GOALS = { "*": "GOAL" };
var RETRY = false;

var state = null;
var sending = false;

function save(then) {
  datastore.set("presses", state, then || function () {});
}

function send() {
  if (!state || sending || state.waiting.length === 0) return;
  var oldest = state.waiting[0];
  sending = true;
  var body = { value: oldest.value, id: oldest.id, timestamp: oldest.at };
  http.makeRequest({
    url: URL + oldest.goal,
    method: "POST",
    headers: { Authorization: "Bearer " + TOKEN, "Content-Type": "application/json" },
    content: JSON.stringify(body)
  }, function (error, answer) {
    sending = false;
    var status = error ? 0 : answer.statusCode;
    // A proxy or a login page answers 200 and 403, too; these are the relay's own words.
    var word = status === 200 ? '"ok":true' : '"code":"';
    var text = status > 0 ? answer.content : null;
    if (typeof text === "string" && text.indexOf(word) < 0) status = -status; // Not the relay.
    if (status !== 200) console.log(status + " " + oldest.id + ": " + (error || answer.content));
    if (status !== 200 && !isRefused(status)) return; // The timer tries again, with the same id.
    state.waiting.shift();
    if (status !== 200) state.refused = (state.refused || []).concat([oldest]).slice(-100);
    save(send);
  });
}

// Sent again, it would be refused again. After a wrong token (401), a wrong address (421) or too
// many requests (408, 425, 429) the others would hear the same, so they wait.
function isRefused(status) {
  return status >= 400 && status < 500 && [401, 408, 421, 425, 429].indexOf(status) < 0;
}

buttons.on("buttonSingleOrDoubleClickOrHold", function (click) {
  if (!state || click.isHold) return;
  var button = buttons.getButton(click.bdaddr);
  state.count += 1;
  state.waiting.push({
    goal: GOALS[button.name] || GOALS["*"],
    value: click.isDoubleClick ? 2 : 1,
    id: state.name + state.count,
    at: Math.floor(Date.now() / 1000)
  });
  save(send); // On the hub first, then to the relay.
});

datastore.get("presses", function (error, saved) {
  // Without what was saved, the next save would overwrite it: the hub restarts the module.
  if (error) throw new Error(String(error));
  state = saved || {
    name: "f" + Math.random().toString(36).slice(2) + "-", count: 0, waiting: [], refused: []
  };
  if (RETRY) {
    state.waiting = (state.refused || []).concat(state.waiting);
    state.refused = [];
  }
  save(send);
});
setInterval(send, 10000);
