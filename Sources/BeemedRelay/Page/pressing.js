// Makes presses, shows that they were made, offers to take them back.
import { store } from "./store.js";
import { fault, toast } from "./toast.js";
import { signed } from "./time.js";
import { texts } from "./texts.js";

/** Logs to a goal; at once on the screen, and on its way to the relay. */
export function press(wanted) {
  const made = store.presses.make(wanted);
  const [value, title] = [signed(made.value), store.title(made.goal)];
  toast(texts.main.logged(value, title), () => {
    store.presses.undo(made).then(() => toast(texts.main.undone(value, title)), fault);
  });
}

store.presses.addEventListener("rejected", (event) => toast(texts.main.notTaken(event.detail.why)));
