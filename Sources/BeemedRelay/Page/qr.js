// QR codes (ISO/IEC 18004): byte mode, error correction M, versions 1 to 10; up to 213 bytes.
import { svg } from "./dom.js";

// For each version: all codewords, check words a block, blocks; the last place of alignment patterns.
const VERSIONS = [[26, 10, 1], [44, 16, 1, 18], [70, 26, 1, 22], [100, 18, 2, 26], [134, 24, 2, 30], [172, 16, 4, 34],
	[196, 18, 4, 38], [242, 22, 4, 42], [292, 22, 5, 46], [346, 26, 5, 50]];
// The field of 256 elements with x^8 + x^4 + x^3 + x^2 + 1.
const EXP = [], LOG = [];
for (let power = 0, value = 1; power < 255; power++) {
	EXP[power] = value;
	LOG[value] = power;
	value = value << 1 ^ (value & 128 ? 0x11D : 0);
}
const times = (a, b) => (a && b ? EXP[(LOG[a] + LOG[b]) % 255] : 0);

/** Divides, as Reed-Solomon does: the remainder is what checks the data. */
function checkWords(data, count) {
	let generator = [1];
	for (let root = 0; root < count; root++) {
		generator = [...generator, 0].map((value, place) => value ^ times(generator[place - 1], EXP[root]));
	}
	const rest = [...data, ...Array(count).fill(0)];
	data.forEach((_, place) => {
		const factor = rest[place];
		generator.forEach((value, offset) => { rest[place + offset] ^= times(value, factor); });
	});
	return rest.slice(data.length);
}

const bits = (value, count) => Array.from({ length: count }, (_, bit) => value >> (count - 1 - bit) & 1);

function codewords(bytes, version, [all, check, blocks]) {
	const room = all - check * blocks;
	const stream = [...bits(4, 4), ...bits(bytes.length, version < 10 ? 8 : 16), ...bytes.flatMap((byte) => bits(byte, 8)), 0, 0, 0, 0];
	const data = [];
	for (let place = 0; place + 8 <= stream.length + 4 && data.length < room; place += 8) {
		data.push(bits(0, 8).reduce((word, _, bit) => word * 2 + (stream[place + bit] ?? 0), 0));
	}
	for (let pad = 0xEC; data.length < room; pad ^= 0xFD) data.push(pad);
	const short = Math.floor(room / blocks), parts = [];
	for (let block = 0, start = 0; block < blocks; block++) {
		const end = start + short + (block >= blocks - room % blocks);
		parts.push(data.slice(start, end));
		start = end;
	}
	const woven = (lists) => lists.at(-1).flatMap((_, place) => lists.flatMap((list) => list[place] ?? []));
	return [...woven(parts), ...woven(parts.map((part) => checkWords(part, check)))];
}

function matrix(bytes) {
	const version = VERSIONS.findIndex(([all, check, blocks], index) => bytes.length + (index < 9 ? 2 : 3) <= all - check * blocks) + 1;
	if (!version) throw new RangeError("too long for a QR code");
	const size = 17 + 4 * version;
	const dark = bits(0, size).map(() => Array(size).fill(false));
	const taken = dark.map((line) => [...line]);
	const set = (x, y, value) => { if (x in dark && y in dark) { dark[y][x] = Boolean(value); taken[y][x] = true; } };
	const rings = (cx, cy, reach, light) => {
		for (let dy = -reach; dy <= reach; dy++) for (let dx = -reach; dx <= reach; dx++) {
			set(cx + dx, cy + dy, !light.includes(Math.max(Math.abs(dx), Math.abs(dy))));
		}
	};
	for (let place = 0; place < size; place++) { set(6, place, place % 2 === 0); set(place, 6, place % 2 === 0); }
	for (const [x, y] of [[3, 3], [size - 4, 3], [3, size - 4]]) rings(x, y, 4, [2, 4]);
	const end = VERSIONS[version - 1][3];
	const centres = version < 2 ? [] : version < 7 ? [6, end] : [6, (end + 6) / 2, end];
	for (const y of centres) for (const x of centres) {
		if ((x !== 6 && y !== 6) || (x !== y && x !== end && y !== end)) rings(x, y, 2, [1]);
	}

	const format = 0x5412; // M and mask 0, with what checks them.
	for (let bit = 0; bit < 15; bit++) {
		const value = format >> bit & 1;
		if (bit < 8) { set(8, bit < 6 ? bit : bit + 1, value); set(size - 1 - bit, 8, value); }
		else { set(bit < 9 ? 7 : 14 - bit, 8, value); set(8, size - 15 + bit, value); }
	}
	set(8, size - 8, true);
	let code = version << 12;
	for (let bit = 17; bit >= 12; bit--) if (code >> bit & 1) code ^= 0x1F25 << (bit - 12);
	code |= version << 12;
	for (let bit = 0; version >= 7 && bit < 18; bit++) {
		const [a, b] = [size - 11 + bit % 3, Math.floor(bit / 3)];
		set(a, b, code >> bit & 1);
		set(b, a, code >> bit & 1);
	}
	const free = [];
	for (let right = size - 1, isUp = true; right > 0; right -= right === 8 ? 3 : 2, isUp = !isUp) {
		for (let step = 0; step < size; step++) for (const x of [right, right - 1]) {
			const y = isUp ? size - 1 - step : step;
			if (!taken[y][x]) free.push([x, y]);
		}
	}
	const stream = codewords(bytes, version, VERSIONS[version - 1]).flatMap((word) => bits(word, 8));
	// The mask of number 0; a reader takes any, and the others would only be read a little better.
	free.forEach(([x, y], place) => { dark[y][x] = Boolean(stream[place]) !== ((x + y) % 2 === 0); });
	return dark;
}

/** A drawing of a text as a QR code. */
export function qrCode(text, label) {
	const dark = matrix([...new TextEncoder().encode(text)]);
	const size = dark.length + 8;
	const path = dark.flatMap((line, y) => line.map((value, x) => (value ? `M${x + 4} ${y + 4}h1v1h-1z` : ""))).join("");
	return svg("svg", { class: "qr", viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": label, "shape-rendering": "crispEdges" },
		svg("path", { d: path }));
}
