// How a goal stands, in Beeminder's own colours and words, and what one tap logs to it.
import { now, until } from "./time.js";
import { texts } from "./texts.js";

const t = texts.goal;
const DAY = 86_400;
const COLOURS = ["red", "orange", "blue"];

/** Red derails today, orange tomorrow, blue in two days, green later; grey needs nothing more. */
export function colourOf({ losedate }) {
	if (!losedate) return "grey";
	const days = Math.max(0, Math.floor((losedate - now()) / DAY));
	return COLOURS[days] ?? "green";
}

/** Whether a goal derails within a day, or has just done so. */
export const isDue = (goal) => colourOf(goal) === "red";

/** The amount due and by when: `+4.29 by 23:00`. Of a do-less goal, how much is left until then. */
export function dueOf(goal) {
	if (!goal.losedate) return t.nothing;
	if (goal.losedate <= now()) return t.derailed;
	const when = until(goal.losedate + 1);
	const amount = /^[+-]?[\d.:]*[1-9][\d.:]*/.exec(goal.due)?.[0];
	if (goal.doLess) return t.left(amount?.replace(/^[+-]/, "") ?? "0", when);
	return amount ? t.by(amount, when) : t.safe(when);
}

/** The value that a goal's button logs: its one preset, else the value that its last two presses had, else one more. Nothing for
 * readings, as of a weight: those are typed. */
export function usualOf(goal, presets, lately) {
	if (goal.adds === false) return undefined;
	const [preset, other] = presets.filter((one) => one.goal === goal.slug);
	if (preset && !other) return { target: preset.name, value: preset.value ?? 1 };
	const [last, before] = lately.filter((event) => event.goal === goal.slug);
	return { value: last && last.value === before?.value && last.value > 0 ? last.value : 1 };
}
