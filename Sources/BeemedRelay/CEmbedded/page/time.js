// Times in words.
import { texts } from "./texts.js";

const t = texts.time;

/** By how many seconds this browser's clock is ahead of the relay's. */
let ahead = 0;

/** Learns the relay's time from what it has just told. A context that was kept there may be older than it is told, never
 * younger: it shows only that the browser's clock is late. */
export function hearTime(seconds, isFresh) {
	const found = Date.now() / 1000 - seconds;
	if (isFresh || found < ahead) ahead = found;
}

/** The time in Unix seconds, by the relay's clock. */
export const now = () => Date.now() / 1000 - ahead;

/** A span in words, of the two largest units. */
export function span(seconds) {
	const minutes = Math.max(0, Math.floor(seconds / 60));
	const hours = Math.floor(minutes / 60);
	const days = Math.floor(hours / 24);
	if (days >= 7) return t.days(days);
	if (days >= 1) return hours % 24 ? t.daysHours(days, hours % 24) : t.days(days);
	if (hours >= 1) return minutes % 60 ? t.hoursMinutes(hours, minutes % 60) : t.hours(hours);
	return t.minutes(minutes);
}

/** The words for a goal that derails in so many minutes while presses for it wait. */
export const riskOf = (minutes, waiting) => texts.main.risk(minutes < 0, span(Math.abs(minutes) * 60), waiting);

/** How long ago, or how soon, a time of Unix seconds is. */
export function relative(time) {
	const seconds = now() - time;
	if (Math.abs(seconds) < 60) return t.now;
	return seconds > 0 ? t.ago(span(seconds)) : t.in(span(-seconds));
}

/** A time of Unix seconds by the clock of this browser. */
export function clock(time) {
	const date = new Date(time * 1000);
	const isToday = date.toDateString() === new Date().toDateString();
	return date.toLocaleString([], isToday ? { timeStyle: "short" } : { dateStyle: "medium", timeStyle: "short" });
}

const HOURS = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };

/** The time of day of Unix seconds by this browser's clock. */
export const time = (seconds) => new Date(seconds * 1000).toLocaleTimeString([], HOURS);

/** How many days from today a time of Unix seconds is. */
function daysTo(seconds) {
	const [day, today] = [seconds, now()].map((one) => new Date(one * 1000).setHours(12, 0, 0, 0));
	return Math.round((day - today) / 86_400_000);
}

/** A day in words: today, yesterday, or its date. */
export function dayName(seconds) {
	const days = daysTo(seconds);
	if (days === 0 || days === -1) return days ? t.yesterday : t.today;
	return new Date(seconds * 1000).toLocaleDateString([], { weekday: "long", day: "numeric", month: "long" });
}

/** When something ends, as short as it is clear: `23:00`, `Sat`, `9 Dec`. */
export function until(seconds) {
	const days = daysTo(seconds - 1);
	if (days <= 0) return time(seconds) === "00:00" ? t.midnight : time(seconds);
	const date = new Date((seconds - 1) * 1000);
	return date.toLocaleDateString([], days < 7 ? { weekday: "short" } : { day: "numeric", month: "short" });
}

/** A day as the relay takes it, so many days from a time, which is now. A goal's day ends so many seconds after midnight,
 * or before. */
export function daystamp(offset, deadline = 0, from = now()) {
	const date = new Date((from - deadline) * 1000);
	date.setDate(date.getDate() + offset);
	return [date.getFullYear(), date.getMonth() + 1, date.getDate()]
		.map((number) => String(number).padStart(2, "0")).join("-");
}

/** A number as it is shown. */
export function number(value) {
	return String(Math.round(value * 1e6) / 1e6);
}

/** The value of a press, with its sign. */
export function signed(value) {
	return value >= 0 ? `+${number(value)}` : `−${number(-value)}`;
}

/** Numbers as people type them, with a dot or a comma. Not 1,000, which some mean as a thousand and others as one. A
 * browser shows the title when the pattern does not match. */
export const decimal = {
	rule: { inputmode: "decimal", pattern: "[+\\-]?([0-9]+[.]?[0-9]*|0,[0-9]*|[0-9]+,([0-9]{1,2}|[0-9]{4,})?|[.,][0-9]+)", title: t.decimal },
	read: (text) => {
		const value = Number(text.replace(",", "."));
		if (!Number.isFinite(value)) throw new Error(t.decimal);
		return value;
	},
};
