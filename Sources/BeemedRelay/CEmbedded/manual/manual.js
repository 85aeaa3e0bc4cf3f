// What is more convenient with JavaScript: copying, a token filled in without leaving the page,
// links that open their tab. The manual can be read without any of it.
"use strict";

for (const block of document.querySelectorAll("pre")) {
  const box = document.createElement("div");
  box.className = "code";
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    await copy(block.querySelector("code").textContent);
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });
  block.replaceWith(box);
  box.append(block, button);
}

// navigator.clipboard is for secure origins only, and a relay at home is none.
async function copy(text) {
  if (navigator.clipboard && window.isSecureContext) return navigator.clipboard.writeText(text);
  const area = document.createElement("textarea");
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}

function fill(name, value) {
  for (const place of document.querySelectorAll(`.value[data-name="${name}"]`)) {
    place.textContent = value;
  }
}

const form = document.getElementById("fill");
form.addEventListener("submit", (event) => event.preventDefault());
form.querySelector("button").remove();
const goal = form.elements.goal;
goal.addEventListener("input", () => {
  if (goal.validity.valid) fill("goal", goal.value || "GOAL");
});

// The token is filled in here and sent nowhere.
const label = document.createElement("label");
const token = document.createElement("input");
token.name = "token";
token.autocomplete = "off";
token.spellcheck = false;
token.addEventListener("input", () => fill("token", token.value.trim() || "TOKEN"));
label.append(" Token ", token);
form.querySelector("p").append(label);

function openTab() {
  const tab = document.getElementById(`tab-${location.hash.slice(1)}`);
  if (tab) tab.checked = true;
}
addEventListener("hashchange", openTab);
openTab();
