// QR codes (ISO/IEC 18004): byte mode, error correction M, versions 1 to 10; up to 213 bytes.
import { svg } from "./dom.js";

// For each version: codewords in all, check words a block, blocks; the places of alignment patterns.
const VERSIONS = [
  [26, 10, 1], [44, 16, 1], [70, 26, 1], [100, 18, 2], [134, 24, 2],
  [172, 16, 4], [196, 18, 4], [242, 22, 4], [292, 22, 5], [346, 26, 5],
];
const ALIGNMENT = [[], [6, 18], [6, 22], [6, 26], [6, 30], [6, 34], [6, 22, 38], [6, 24, 42], [6, 26, 46], [6, 28, 50]];
const MASKS = [
  (x, y) => (x + y) % 2, (x, y) => y % 2, (x) => x % 3, (x, y) => (x + y) % 3,
  (x, y) => (Math.floor(y / 2) + Math.floor(x / 3)) % 2, (x, y) => x * y % 2 + x * y % 3,
  (x, y) => (x * y % 2 + x * y % 3) % 2, (x, y) => ((x + y) % 2 + x * y % 3) % 2,
];

// The field of 256 elements with x^8 + x^4 + x^3 + x^2 + 1.
const EXP = [], LOG = [];
for (let power = 0, value = 1; power < 255; power++) {
  EXP[power] = value;
  LOG[value] = power;
  value = value << 1 ^ (value & 128 ? 0x11D : 0);
}
const times = (a, b) => (a && b ? EXP[(LOG[a] + LOG[b]) % 255] : 0);

/** Reed-Solomon check words of some data. */
function checkWords(data, count) {
  let generator = [1];
  for (let root = 0; root < count; root++) {
    const next = [...generator, 0];
    generator.forEach((factor, place) => { next[place + 1] ^= times(factor, EXP[root]); });
    generator = next;
  }
  const rest = [...data, ...Array(count).fill(0)];
  for (let place = 0; place < data.length; place++) {
    const factor = rest[place];
    generator.forEach((value, offset) => { rest[place + offset] ^= times(value, factor); });
  }
  return rest.slice(data.length);
}

function codewords(bytes, version) {
  const [all, check, blocks] = VERSIONS[version - 1];
  const room = all - check * blocks;
  const bits = [];
  const put = (value, count) => { for (let bit = count - 1; bit >= 0; bit--) bits.push(value >> bit & 1); };
  put(4, 4);
  put(bytes.length, version < 10 ? 8 : 16);
  bytes.forEach((byte) => put(byte, 8));
  put(0, Math.min(4, room * 8 - bits.length));
  while (bits.length % 8) bits.push(0);
  const data = [];
  for (let place = 0; place < bits.length; place += 8) data.push(parseInt(bits.slice(place, place + 8).join(""), 2));
  for (let pad = 0xEC; data.length < room; pad ^= 0xFD) data.push(pad);

  const short = Math.floor(room / blocks), longer = room % blocks;
  const parts = [];
  for (let block = 0, start = 0; block < blocks; block++) {
    const end = start + short + (block >= blocks - longer ? 1 : 0);
    parts.push(data.slice(start, end));
    start = end;
  }
  const checks = parts.map((part) => checkWords(part, check));
  const woven = (lists) => Array.from({ length: Math.max(...lists.map((list) => list.length)) },
    (_, place) => lists.flatMap((list) => list[place] ?? [])).flat();
  return [...woven(parts), ...woven(checks)];
}

/** The remainder of `value` as the codes for format and version have it. */
function remainder(value, generator, degree) {
  let rest = value << degree;
  const top = 31 - Math.clz32(generator);
  for (let bit = 31 - Math.clz32(rest); rest && bit >= top; bit = 31 - Math.clz32(rest)) rest ^= generator << (bit - top);
  return rest;
}

function matrix(bytes) {
  const version = VERSIONS.findIndex(([all, check, blocks], index) =>
    bytes.length + (index < 9 ? 2 : 3) <= all - check * blocks) + 1;
  if (!version) throw new RangeError("too long for a QR code");
  const size = 17 + 4 * version;
  const dark = Array.from({ length: size }, () => Array(size).fill(false));
  const taken = Array.from({ length: size }, () => Array(size).fill(false));
  const set = (x, y, value) => { if (dark[y]?.[x] !== undefined) { dark[y][x] = Boolean(value); taken[y][x] = true; } };

  for (let place = 0; place < size; place++) { set(6, place, place % 2 === 0); set(place, 6, place % 2 === 0); }
  for (const [x, y] of [[3, 3], [size - 4, 3], [3, size - 4]]) {
    for (let dy = -4; dy <= 4; dy++) for (let dx = -4; dx <= 4; dx++) {
      const ring = Math.max(Math.abs(dx), Math.abs(dy));
      set(x + dx, y + dy, ring !== 2 && ring !== 4);
    }
  }
  const centres = ALIGNMENT[version - 1];
  for (const y of centres) for (const x of centres) {
    const last = size - 7;
    if ((x === 6 && y === 6) || (x === 6 && y === last) || (x === last && y === 6)) continue;
    for (let dy = -2; dy <= 2; dy++) for (let dx = -2; dx <= 2; dx++) set(x + dx, y + dy, Math.max(Math.abs(dx), Math.abs(dy)) !== 1);
  }
  const format = (mask) => {
    const code = (mask << 10 | remainder(mask, 0x537, 10)) ^ 0x5412; // M is 00.
    for (let bit = 0; bit < 15; bit++) {
      const value = code >> bit & 1;
      if (bit < 8) set(8, bit < 6 ? bit : bit + 1, value);
      else set(bit < 9 ? 7 : 14 - bit, 8, value);
      if (bit < 8) set(size - 1 - bit, 8, value);
      else set(8, size - 15 + bit, value);
    }
    set(8, size - 8, true);
  };
  format(0);
  if (version >= 7) {
    const code = version << 12 | remainder(version, 0x1F25, 12);
    for (let bit = 0; bit < 18; bit++) {
      const [a, b] = [size - 11 + bit % 3, Math.floor(bit / 3)];
      set(a, b, code >> bit & 1);
      set(b, a, code >> bit & 1);
    }
  }
  const stream = codewords(bytes, version).flatMap((word) => Array.from({ length: 8 }, (_, bit) => word >> (7 - bit) & 1));
  const free = [];
  for (let right = size - 1, up = true; right > 0; right -= 2, up = !up) {
    if (right === 6) right = 5;
    for (let step = 0; step < size; step++) for (const x of [right, right - 1]) {
      const y = up ? size - 1 - step : step;
      if (!taken[y][x]) free.push([x, y]);
    }
  }
  free.forEach(([x, y], place) => { dark[y][x] = Boolean(stream[place]); });

  let best;
  MASKS.forEach((isLeft, mask) => {
    const flip = () => free.forEach(([x, y]) => { if (isLeft(x, y) === 0) dark[y][x] = !dark[y][x]; });
    flip();
    format(mask);
    const points = penalty(dark);
    if (!best || points < best.points) best = { mask, points, dark: dark.map((row) => [...row]) };
    flip();
  });
  return best.dark;
}

/** How hard a pattern is to read (section 7.8.3). */
function penalty(dark) {
  const size = dark.length;
  let points = 0, count = 0;
  const lines = [...dark, ...dark.map((_, x) => dark.map((row) => row[x]))];
  for (const line of lines) {
    let run = 0;
    line.forEach((value, place) => {
      run = place && value === line[place - 1] ? run + 1 : 1;
      if (run === 5) points += 3; else if (run > 5) points += 1;
    });
    const text = line.map(Number).join("");
    for (const finder of ["10111010000", "00001011101"]) points += 40 * (text.split(finder).length - 1);
  }
  for (let y = 0; y < size; y++) for (let x = 0; x < size; x++) {
    count += dark[y][x];
    if (x && y && [dark[y - 1][x], dark[y][x - 1], dark[y - 1][x - 1]].every((value) => value === dark[y][x])) points += 3;
  }
  return points + 10 * Math.floor(Math.abs(count * 20 / (size * size) - 10));
}

/** A drawing of a text as a QR code. */
export function qrCode(text, label) {
  const dark = matrix([...new TextEncoder().encode(text)]);
  const edge = 4, size = dark.length + 2 * edge;
  const path = dark.flatMap((row, y) => row.flatMap((value, x) => (value ? `M${x + edge} ${y + edge}h1v1h-1z` : []))).join("");
  return svg("svg", { class: "qr", viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": label, "shape-rendering": "crispEdges" },
    svg("rect", { width: size, height: size, fill: "#fff" }), svg("path", { d: path, fill: "#000" }));
}
