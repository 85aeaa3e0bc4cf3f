// Flic Hub: a module for its SDK that loses no press while the relay is away.
//
// https://hubsdk.flic.io: enable SDK access in the app, create a module, paste this as main.js,
// restart it, and tick "restart after crash". A press is kept in the hub's data store and leaves it
// when the relay has answered 200. Its id is a random word, made at the very first start, and a
// number that only grows, so none is used twice, and a press that is sent again counts once.
// Presses that a button made out of the hub's reach come later; they carry the time they are heard.
var buttons = require("buttons");
var http = require("http");
var datastore = require("datastore");

var URL = "http://RELAY:2336/log/";
var TOKEN = "TOKEN"; // beemed-relay device add flic --goals GOAL
// Which button logs to which goal, by the name it has in the app; "*" is any other one.
var GOALS = { "*": "GOAL" };

var state = null;
var sending = false;

function save(then) {
  datastore.set("presses", state, then || function () {});
}

function send() {
  if (!state || sending || state.waiting.length === 0) return;
  var oldest = state.waiting[0];
  sending = true;
  http.makeRequest({
    url: URL + oldest.goal,
    method: "POST",
    headers: { Authorization: "Bearer " + TOKEN, "Content-Type": "application/json" },
    content: JSON.stringify({ value: oldest.value, id: oldest.id, timestamp: oldest.at })
  }, function (error, answer) {
    sending = false;
    if (error || answer.statusCode !== 200) {
      console.log("waits: " + (error || answer.content));
      return; // The timer tries again, with the same id.
    }
    state.waiting.shift();
    save(send);
  });
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
  state = saved || {
    name: "f" + Math.random().toString(36).slice(2) + "-", count: 0, waiting: []
  };
  save(send);
});
setInterval(send, 10000);
