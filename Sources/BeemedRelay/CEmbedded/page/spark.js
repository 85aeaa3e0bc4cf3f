// The last two weeks of a goal, a bar a day.
import { svg } from "./dom.js";
import { number } from "./time.js";
import { texts } from "./texts.js";

const WIDTH = 140, HEIGHT = 32, GAP = 3;

/** A drawing whose `update(days)` takes one number for each day, today last. It is not seen while there are none. */
export function spark() {
	const drawing = svg("svg", { class: "spark", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img" });
	drawing.update = (days) => {
		const key = days.join(" ");
		if (drawing.key === key) return;
		drawing.key = key;
		const most = Math.max(...days.map(Math.abs));
		const step = WIDTH / days.length;
		drawing.setAttribute("aria-label", texts.goal.weeks(days.map(number).join(", ")));
		drawing.replaceChildren(...(most ? days : []).map((value, day) => {
			const height = value ? Math.max(3, Math.abs(value) / most * HEIGHT) : 1.5;
			return svg("rect", { x: day * step + GAP / 2, y: HEIGHT - height, width: step - GAP, height, rx: 1.5,
				class: day === days.length - 1 ? "now" : "" });
		}));
	};
	return drawing;
}
