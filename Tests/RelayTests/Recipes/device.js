// Plays the device around a recipe in JavaScript, for RecipeTests:
//
//   node device.js shelly|flic RECIPE URL TOKEN STATE STEP...
//
// A step is "press" (the button), "press-other" (Flic: a button for the goal "pushups") or "tick" (the
// recipe's timer). What the recipe stores is kept in
// the file STATE, so that another process is the same device after a restart. Prints the status of
// every request, 0 where nobody answered.
"use strict";
const fs = require("fs");
const vm = require("vm");

const [kind, recipe, url, token, stateFile, ...steps] = process.argv.slice(2);
const source = fs.readFileSync(recipe, "utf8")
  .replaceAll("http://RELAY:2336", url).replaceAll('"TOKEN"', JSON.stringify(token))
  .replace('{ "*": "GOAL" }', '{ "*": "water", "other": "pushups" }').replaceAll("GOAL", "water");
const stored = fs.existsSync(stateFile) ? JSON.parse(fs.readFileSync(stateFile, "utf8")) : {};
const statuses = [];
const timers = [];
let press = null;
let busy = 0;

function store(key, value) {
  stored[key] = value;
  fs.writeFileSync(stateFile, JSON.stringify(stored));
}

function request(method, address, headers, body, then) {
  busy += 1;
  fetch(address, { method, headers, body }).then(
    async (answer) => [answer.status, await answer.text()], () => [0, ""]
  ).then(([status, text]) => {
    statuses.push(status);
    then(status, text);
    busy -= 1;
  });
}

function later(action) {
  busy += 1;
  setImmediate(() => { action(); busy -= 1; });
}

const shelly = {
  print: () => {},
  Script: { storage: { getItem: (key) => stored[key] ?? null, setItem: store } },
  Timer: { set: (milliseconds, repeats, action) => timers.push(action) },
  Shelly: {
    getComponentStatus: () => ({ unixtime: Math.floor(Date.now() / 1000) }),
    addEventHandler: (handler) => {
      press = () => handler({ component: "input:0", info: { event: "single_push" } });
    },
    call: (method, call, then) => request(call.method, call.url, call.headers, call.body,
      (status, body) => status === 0 ? then(null, -114, "refused") : then({ code: status, body }, 0))
  }
};

const flicModules = {
  buttons: {
    getButton: (address) => ({ name: address }),
    on: (event, handler) => {
      press = (name) => handler({
        bdaddr: name, isSingleClick: true, isDoubleClick: false, isHold: false
      });
    }
  },
  datastore: {
    get: (key, then) => later(() => then(null, stored[key])),
    set: (key, value, then) => { store(key, value); later(() => then(null)); }
  },
  http: {
    makeRequest: (call, then) => request(call.method, call.url, call.headers, call.content,
      (status, content) => status === 0 ? then("refused") : then(null, { statusCode: status, content }))
  }
};
const flic = {
  require: (name) => flicModules[name],
  console: { log: () => {} },
  setInterval: (action) => timers.push(action)
};

async function quiet() {
  do await new Promise(setImmediate); while (busy > 0);
}

(async () => {
  vm.runInNewContext(source, kind === "shelly" ? shelly : flic);
  await quiet();
  for (const step of steps) {
    if (step.startsWith("press")) press(step.slice(6) || "red"); else timers.forEach((action) => action());
    await quiet();
  }
  console.log(statuses.join(" "));
})();
