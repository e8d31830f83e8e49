"use strict";
const trace = JSON.parse(document.getElementById("trace").textContent);
const $ = id => document.getElementById(id);
const screen_ = document.createElement("canvas");
[screen_.width, screen_.height] = trace.size.map(side => Math.max(1, side));
const screen2d = screen_.getContext("2d");
let frames = [];    // decoded
let applied = 0;    // frames on the screen
let at = 0;         // the step
let seen = null;    // a look that was chosen, or nothing: how many frames make it
let cell = null;    // the tile that is pointed at
let timer = null;
const shown = { grid: false, read: false, risk: true, click: true, whole: false };
let after = false;

const step = () => trace.steps[at];
const next = () => trace.steps[Math.min(at + 1, trace.steps.length - 1)];
const gridOf = step => step.grid === undefined ? null : trace.grids[step.grid];
const isGuess = step => Boolean(step.chosen && step.chosen.guess);

async function decode(frame) {
  const bytes = Uint8Array.from(atob(frame.png), character => character.charCodeAt(0));
  return createImageBitmap(new Blob([bytes], { type: "image/png" }));
}

// The screen as it was after so many frames.
function show(count) {
  if (count < applied) { screen2d.clearRect(0, 0, screen_.width, screen_.height); applied = 0; }
  for (; applied < count; applied++) screen2d.drawImage(frames[applied], ...trace.frames[applied].at);
}

function risksOf(step) {
  if (!step.known) return [];
  const own = new Map(step.known.risks), rest = step.known.rest;
  const all = [...step.tiles].map((tile, index) => [index, own.has(index) ? own.get(index) : "#F?~".includes(tile) ? rest : undefined]);
  return all.filter(([, risk]) => risk !== undefined);
}

let pen = null;
function draw() {
  const now = after ? next() : step();
  show(seen === null ? now.frames || trace.steps[1]?.frames || 0 : seen);
  const grid = gridOf(step()) || gridOf(next()) || trace.grids[0];
  const view = shown.whole || !grid ? [0, 0, screen_.width, screen_.height] : around(grid, trace.size, 3.2);
  const pitch = grid ? grid.columns[1] - grid.columns[0] : 16;
  pen = enlarge($("picture"), screen_, view, $("window").clientWidth, pitch, shown.whole ? 1 : 16);
  if (!grid) return;
  const own = gridOf(step());
  if (own && shown.risk && !after && seen === null) drawRisks(pen, own, risksOf(step()), step().known?.rest);
  if (shown.grid) drawGrid(pen, grid);
  if (shown.read && gridOf(now) && now.tiles) drawReading(pen, gridOf(now), now.tiles);
  if (own && step().chosen) for (const open of step().chosen.open) drawFrame(pen, own, open, isGuess(step()) ? COLOURS.guess : COLOURS.click, 2, isGuess(step()));
  if (shown.click) drawClicks();
  if (cell && own) drawFrame(pen, own, cell, "#000", 1.5, true);
}

function drawClicks() {
  const grid = gridOf(step()), own = grid ? [grid.columns[1] - grid.columns[0], grid.lines[1] - grid.lines[0]] : [0, 0];
  let number = 0;
  for (const [, what] of step().events) {
    if (!what.click) continue;
    // A little beside the point: what is on the tile should show, too.
    const [x, y] = what.click[1].map((at, side) => at + 0.22 * own[side]);
    const { context } = pen, radius = 7.5 * pen.dots;
    number += 1;
    context.beginPath();
    context.arc(pen.x(x), pen.y(y), radius, 0, 7);
    context.fillStyle = what.click[0].button === "left" ? "rgba(255,255,255,.85)" : "rgba(255,225,120,.9)";
    context.fill();
    context.lineWidth = 2 * pen.dots;
    context.strokeStyle = "#111";
    context.stroke();
    write(pen, String(number), pen.x(x), pen.y(y) + pen.dots, 10 * pen.dots, "#111");
  }
}

const cells = list => list.slice(0, 8).map(([x, y]) => `(${x}, ${y})`).join(" ") + (list.length > 8 ? ` and ${list.length - 8} more` : "");
const plural = (count, one, many) => `${count} ${count === 1 ? one : many}`;
const GUESSES = { start: "the first click", educated: "some tiles are less risky than others", craps_shoot: "an enclosed guess: nothing outside can tell more" };

// The number of explanations is exact, and mostly long.
const many = text => text.length < 10 ? text : `${text[0]}.${text.slice(1, 3)} × 10^${text.length - 1}`;

function tell() {
  const now = step(), lines = [];
  const title = now.end ? `The end: ${now.end.outcome}` : !now.chosen ? "Before the first decision" : now.chosen.guess === "start" ? "First click" : isGuess(now) ? `Guess at ${percent(now.chosen.risk)}` : "Certain";
  if (now.end?.trouble) lines.push(now.end.trouble);
  if (now.chosen) {
    lines.push(`Opens ${cells(now.chosen.open)}: ` + (now.chosen.guess === "start" && now.chosen.risk === 0 ? "the client promises that the first click hits no mine." : isGuess(now)
      ? `risk ${percent(now.chosen.risk)}; ${GUESSES[now.chosen.guess] || now.chosen.guess}.`
      : "no explanation of the board has a mine there."));
    if (now.chosen.mines.length) lines.push(`${plural(now.chosen.mines.length, "certain mine", "certain mines")}.`);
  }
  if (now.known) lines.push(`${many(now.known.explanations)} explanations.` + (now.known.rest === undefined ? "" : ` Elsewhere the risk is ${percent(now.known.rest)}.`));
  if (now.known?.candidates && now.chosen?.guess !== "start") lines.push("Lowest risks: " + now.known.candidates.map(([[x, y], risk]) => `(${x}, ${y}) ${percent(risk)}`).join(", ") + ".");
  if (now.score !== undefined) {
    const unknown = [...now.tiles].filter(tile => tile === "~").length;
    lines.push(`Read with a lowest score of ${now.score.toFixed(2)}` + (unknown ? `, ${plural(unknown, "tile", "tiles")} not recognised` : "") + (now.mines_left === undefined ? "." : `; the counter shows ${now.mines_left}.`));
  }
  const answer = changes();
  if (now.chosen) lines.push(answer.length ? `Answer: ${plural(answer.length, "tile", "tiles")} changed: ` + answer.slice(0, 6).map(([x, y, tile]) => `(${x}, ${y}) ${nameOf(tile)}`).join(", ") + (answer.length > 6 ? " …" : ".") : "Answer: no tile changed.");
  $("what").replaceChildren(Object.assign(document.createElement("h2"), { textContent: title }), ...lines.map(text => Object.assign(document.createElement("p"), { textContent: text })));
  $("place").textContent = `step ${at} of ${trace.steps.length - 1}, ${(now.ms / 1000).toFixed(2)} s` + (now.line ? `, line ${now.line}` : "");
}

function changes() {
  const [before, later] = [step(), next()], columns = trace.width;
  if (before === later || before.tiles.length !== later.tiles.length) return [];
  return [...later.tiles].map((tile, index) => [index % columns, Math.floor(index / columns), tile, before.tiles[index]]).filter(([, , tile, old]) => tile !== old);
}

function listEvents() {
  const words = what => {
    if (what.look !== undefined) return "looked";
    if (what.click) return `${what.click[0].button} click` + (what.click[0].with ? ` with ${what.click[0].with}` : "") + place(what.click[1]);
    if (what.keys) return `keys ${what.keys}`;
    if (what.point) return "pointer moved away";
    if (what.wait !== undefined) return `waited ${what.wait.toFixed(1)} ms`;
    if (what.read !== undefined) return "read the board" + (what.read ? `: ${plural(what.read, "tile", "tiles")} not recognised` : "");
    return `failed: ${what.failed}`;
  };
  const items = step().events.map(([ms, what]) => {
    const item = document.createElement("li"), time = document.createElement("b");
    time.textContent = `${((ms - step().ms)).toFixed(1)} ms`;
    item.append(time, " ");
    if (what.look !== undefined) {
      const look = Object.assign(document.createElement("button"), { textContent: "looked: show" });
      look.onclick = () => { seen = what.look; draw(); };
      item.append(look);
    } else item.append(words(what));
    return item;
  });
  $("events").replaceChildren(...items);
}

function place([x, y]) {
  const grid = gridOf(step()), tile = grid && tileAt(grid, x, y);
  return tile ? ` on (${tile[0]}, ${tile[1]})` : ` at ${Math.round(x)}, ${Math.round(y)}`;
}

function pointAt(tile) {
  cell = tile;
  const now = after ? next() : step(), grid = gridOf(step());
  if (!cell || !grid) { $("tile").textContent = "Point at a tile."; return; }
  const index = cell[1] * gridSize(grid)[0] + cell[0];
  const risk = new Map(risksOf(step())).get(index);
  $("tile").textContent = `Column ${cell[0]}, row ${cell[1]}: ${nameOf(now.tiles[index])}` + (risk === undefined ? "" : `; risk ${percent(risk)}` + (risk === 0 ? " (safe)" : risk === 1 ? " (a mine)" : ""));
}

function go(to) {
  at = Math.max(0, Math.min(trace.steps.length - 1, to));
  seen = null;
  const line = $("line");
  line.querySelector("u").style.left = 100 * step().ms / Math.max(trace.ms, 1e-9) + "%";
  line.setAttribute("aria-valuenow", at);
  line.setAttribute("aria-valuetext", `step ${at}`);
  tell();
  listEvents();
  pointAt(cell);
  draw();
  document.body.dataset.step = at;
}

function goToGuess(way) {
  for (let to = at + way; to >= 0 && to < trace.steps.length; to += way) if (isGuess(trace.steps[to])) return go(to);
}

function toggle(name) {
  shown[name] = !shown[name];
  $("show-" + name).setAttribute("aria-pressed", shown[name]);
  draw();
}

function setAfter(is) {
  after = is;
  seen = null;
  $("after").setAttribute("aria-pressed", after);
  pointAt(cell);
  draw();
}

function play() {
  const stop = () => { clearTimeout(timer); timer = null; $("play").setAttribute("aria-pressed", false); };
  if (timer) return stop();
  const on = () => { if (at + 1 >= trace.steps.length) return stop(); go(at + 1); timer = setTimeout(on, isGuess(step()) ? 900 : 250); };
  $("play").setAttribute("aria-pressed", true);
  timer = setTimeout(on, 0);
}

function timeLine() {
  const line = $("line"), share = ms => 100 * ms / Math.max(trace.ms, 1e-9) + "%";
  line.setAttribute("aria-valuemax", trace.steps.length - 1);
  const mark = (kind, ms, title, width) => {
    const mark = Object.assign(document.createElement("i"), { className: kind, title });
    mark.style.left = share(ms);
    if (width) mark.style.width = share(width);
    line.append(mark);
  };
  for (const step of trace.steps) {
    for (const [ms, what] of step.events) if (what.wait > trace.ms / 500) mark("wait", ms, `waited ${what.wait.toFixed(0)} ms`, what.wait);
    if (step.end) mark(`end ${step.end.outcome}`, step.ms, step.end.outcome);
    else if (step.chosen) mark(isGuess(step) ? "guess" : "certain", step.ms, isGuess(step) ? `guess at ${percent(step.chosen.risk)}` : "certain");
  }
  line.append(document.createElement("u"));
  line.onpointerdown = event => {
    const frame = line.getBoundingClientRect(), ms = trace.ms * (event.clientX - frame.left) / frame.width;
    const near = trace.steps.map((step, index) => [Math.abs(step.ms - ms), index]).sort((a, b) => a[0] - b[0]);
    go(near[0][1]);
  };
}

function moveTile(x, y) {
  const grid = gridOf(step());
  if (!grid) return;
  const [columns, rows] = gridSize(grid), [column, row] = cell || [-x, -y];
  pointAt([(column + x + columns) % columns, (row + y + rows) % rows]);
  draw();
}

document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  if (event.shiftKey && arrows[event.key]) { moveTile(...arrows[event.key]); event.preventDefault(); return; }
  if (event.key === " " && event.target.tagName === "BUTTON") return;
  const does = {
    ArrowLeft: () => go(at - 1), ArrowRight: () => go(at + 1), Home: () => go(0), End: () => go(trace.steps.length - 1),
    n: () => goToGuess(1), N: () => goToGuess(-1), " ": play, b: () => setAfter(!after),
    g: () => toggle("grid"), r: () => toggle("read"), k: () => toggle("risk"), c: () => toggle("click"), z: () => toggle("whole"),
  }[event.key];
  if (does) { does(); event.preventDefault(); }
});
$("first").onclick = () => go(0);
$("back").onclick = () => go(at - 1);
$("on").onclick = () => go(at + 1);
$("last").onclick = () => go(trace.steps.length - 1);
$("guess").onclick = () => goToGuess(1);
$("play").onclick = play;
$("after").onclick = () => setAfter(!after);
for (const name of Object.keys(shown)) {
  $("show-" + name).onclick = () => toggle(name);
  $("show-" + name).setAttribute("aria-pressed", shown[name]);
}
$("picture").onpointermove = $("picture").onpointerdown = event => {
  const grid = gridOf(step()), old = String(cell);
  pointAt(pen && grid ? tileAt(grid, ...pen.place(event)) : null);
  if (String(cell) !== old) draw();
};
window.onresize = () => draw();
timeLine();
Promise.all(trace.frames.map(decode)).then(decoded => { frames = decoded; go(0); document.body.dataset.ready = "yes"; });
