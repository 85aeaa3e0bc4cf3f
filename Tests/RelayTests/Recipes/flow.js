// Plays Node-RED around the flow of the recipe, for RecipeTests: node flow.js FLOW. Ends with 0 when
// the flow keeps what it should.
"use strict";
const assert = require("assert");
const fs = require("fs");

const nodes = JSON.parse(fs.readFileSync(process.argv[2], "utf8"));
const stored = {};
const flow = { get: (key) => stored[key], set: (key, value) => { stored[key] = value; } };
const warnings = [];
const node = { warn: (words) => warnings.push(words), status: () => {} };
let now = 1770000000000;
const clock = Object.assign(function () {}, { now: () => now });

function run(id, msg) {
  const source = nodes.find((node) => node.id === id).func;
  return new Function("msg", "flow", "node", "Date", source)(msg, flow, node, clock);
}
const keep = (msg) => run("beemed.keep", msg);
const press = (payload) => keep(run("beemed.press", { payload }));
const words = (status) => status === 200 ? '{"ok":true}' : '{"code":"unusable_value"}';
const answer = (sent, statusCode, payload = words(statusCode)) =>
  keep({ statusCode, pressId: sent.pressId, payload });
const waiting = () => stored.presses.map((press) => press.value);

// One at a time, oldest first; the answer brings the next one.
const first = press(1);
assert.strictEqual(first.payload.value, 1);
assert.strictEqual(press("2.5"), null);
assert.strictEqual(press(undefined), null);
const second = answer(first, 200);
assert.strictEqual(second.payload.value, 2.5);
assert.deepStrictEqual(waiting(), [2.5, 1]);
assert.strictEqual(new Set([first, second].map((sent) => sent.payload.id)).size, 2);

// No answer within 30 seconds: once more, the same press. The late answer to the first attempt takes
// it out, and the answer to the second attempt takes out nothing.
now += 31000;
const again = keep({});
assert.deepStrictEqual(again.payload, second.payload);
const third = answer(second, 200);
assert.strictEqual(third.payload.value, 1);
assert.deepStrictEqual(waiting(), [1]);
assert.strictEqual(answer(again, 200), null);
assert.deepStrictEqual(waiting(), [1]);

// Trouble keeps it; the tick tries again.
for (const trouble of ["ECONNREFUSED", 401, 429, 503, 507]) {
  assert.strictEqual(answer(third, trouble), null, trouble);
  assert.deepStrictEqual(waiting(), [1], trouble);
  assert.deepStrictEqual(keep({}).payload, third.payload);
}

// So does an answer of something else, and what it says is told.
const told = warnings.length;
for (const status of [200, 403, 422]) {
  assert.strictEqual(answer(third, status, "<html>"), null, status);
  assert.deepStrictEqual(waiting(), [1], status);
  assert.deepStrictEqual(keep({}).payload, third.payload);
}
assert.strictEqual(warnings.length, told + 3);

// What is no number is told and not logged.
for (const payload of ["1,5", "unavailable", "", " ", null, {}, [], true, NaN, "Infinity"]) {
  warnings.length = 0;
  assert.strictEqual(run("beemed.press", { payload }), null, payload);
  assert.match(warnings[0], /^not a number: /);
}
for (const [payload, value] of [[0, 0], ["0", 0], [" -2.5 ", -2.5], [undefined, 1]]) {
  assert.strictEqual(run("beemed.press", { payload }).press.value, value);
}
warnings.length = 0;

// What is refused for good is set aside, and the next one goes on.
assert.strictEqual(press(7), null);
const next = answer(third, 422);
assert.strictEqual(next.payload.value, 7);
assert.deepStrictEqual(stored.refused.map((press) => press.value), [1]);
assert.strictEqual(warnings.length, 1);
assert.strictEqual(answer(next, 200), null);
assert.deepStrictEqual(waiting(), []);
assert.strictEqual(keep({}), null);
