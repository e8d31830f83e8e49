"use strict";
const $ = id => document.getElementById(id);
const make = (tag, properties, ...children) => { const element = Object.assign(document.createElement(tag), properties); element.append(...children); return element; };
const sight = JSON.parse($("sight").textContent);
const LOOKS = [..."#012345678F?*Xx"];
const FILES = { "#": "hidden", "F": "flag", "?": "question", "*": "mine", "X": "exploded", "x": "wrong" };
const fileOf = look => FILES[look] || look;
const bytesOf = text => Uint8Array.from(atob(text), character => character.charCodeAt(0));

let picture = null;            // the screenshot
let grid = sight.grid;         // where tiles are: as they were read, or by hand
let isRead = Boolean(grid);    // whether `sight.tiles` belongs to it
let proposal = null;           // one that is pointed at
let chosen = null;             // a tile
const labels = new Map();      // by place in the board
const shown = { grid: true, read: true, whole: !grid };
let pen = null;

const columns = () => gridSize(grid)[0];
const indexOf = ([column, row]) => row * columns() + column;
const readAs = index => isRead ? sight.tiles[index].tile : "~";
const truth = index => labels.get(index) ?? readAs(index);
const place = index => [index % columns(), Math.floor(index / columns())];
const count = () => { const [across, down] = gridSize(grid); return across * down; };

function draw() {
  if (!picture) return;
  const over = proposal ?? grid;
  const view = shown.whole || !over || proposal ? [0, 0, ...sight.size] : around(over, sight.size, 1.5);
  pen = enlarge($("picture"), picture, view, $("window").clientWidth, over ? over.columns[1] - over.columns[0] : 16, shown.whole || proposal ? 1 : 20);
  if (proposal) { drawGrid(pen, proposal); return; }
  if (!grid) return;
  if (shown.grid) drawGrid(pen, grid);
  for (let index = 0; index < count(); index++) {
    const cell = place(index), [x, y, width, height] = pen.box(grid, cell);
    if (labels.has(index)) {
      write(pen, labels.get(index), x + width * 0.75, y + height * 0.72, 0.5 * height, "#fff", "#006b4a");
    } else if (isRead && readAs(index) === "~") {
      drawFrame(pen, grid, cell, "#d6006e", 2, true);
    }
  }
  if (shown.read && isRead) drawReading(pen, grid, sight.tiles.map(look => look.tile).join(""));
  if (chosen) drawFrame(pen, grid, chosen, COLOURS.click, 3, false);
}

function crop([column, row]) {
  const [left, top] = [Math.round(grid.columns[column]), Math.round(grid.lines[row])];
  const [width, height] = [Math.round(grid.columns[column + 1]) - left, Math.round(grid.lines[row + 1]) - top];
  const canvas = make("canvas", { width: Math.max(1, width), height: Math.max(1, height) });
  canvas.getContext("2d").drawImage(picture, left, top, width, height, 0, 0, width, height);
  return canvas;
}

// Why a tile was believed, or not.
function verdict(look) {
  const [accept, margin] = sight.belief, hundredth = value => value.toFixed(2);
  if (look.tile !== "~") return `Believed: score ${hundredth(look.score)} (at least ${hundredth(accept)} is wanted), lead ${hundredth(look.lead)} (${hundredth(margin)}).`;
  const why = [];
  if (look.score < accept) why.push(`its score of ${hundredth(look.score)} is below ${hundredth(accept)}`);
  if (look.lead < margin) why.push(`its lead of ${hundredth(look.lead)} is below ${hundredth(margin)}`);
  return "Not believed: " + (why.join(" and ") || "it matches, but what is beside it speaks against it") + ".";
}

function tell() {
  if (!chosen) return;
  const index = indexOf(chosen), look = isRead ? sight.tiles[index] : null;
  const figures = [make("figure", {}, crop(chosen), make("figcaption", { textContent: "the tile" }))];
  for (const [number, score] of look?.near || []) {
    const [tile, png] = sight.pictures[number];
    figures.push(make("figure", {}, make("img", { src: "data:image/png;base64," + png, alt: nameOf(tile) }), make("figcaption", { textContent: `${nameOf(tile)} ${score.toFixed(3)}` })));
  }
  const lines = [make("h2", { textContent: `Column ${chosen[0]}, row ${chosen[1]}` })];
  if (labels.has(index)) lines.push(make("p", { textContent: `You say: ${nameOf(labels.get(index))}.` }));
  if (look) {
    lines.push(make("p", { textContent: (look.tile === "~" ? `Not recognised; nearest to ${nameOf(look.best)}.` : `Read as ${nameOf(look.tile)}.`) + (look.other ? ` Second: ${nameOf(look.other[0])}, ${look.other[1].toFixed(2)}.` : "") }));
    lines.push(make("p", { textContent: verdict(look) }));
  }
  $("chosen").replaceChildren(...lines, make("div", { className: "crops" }, ...figures));
  $("tile").textContent = `Column ${chosen[0]}, row ${chosen[1]}: ${nameOf(truth(index))}`;
}

function choose(cell) {
  chosen = cell;
  draw();
  tell();
}

const isOpen = index => !labels.has(index) && readAs(index) === "~";

// To the next tile that is neither recognised nor labelled.
function goToNext() {
  if (!grid) return;
  const from = chosen ? indexOf(chosen) + 1 : 0;
  for (let step = 0; step < count(); step++) {
    const index = (from + step) % count();
    if (isOpen(index)) return choose(place(index));
  }
}

function label(look) {
  if (!chosen) return;
  const index = indexOf(chosen), wasOpen = isOpen(index);
  if (look === "~") labels.delete(index); else labels.set(index, look);
  countLabels();
  if (wasOpen) goToNext(); else choose(chosen);
  if (wasOpen && indexOf(chosen) === index) choose(chosen);
}

function countLabels() {
  const open = grid ? Array.from({ length: count() }, (_, index) => index).filter(isOpen).length : 0;
  $("labelled").textContent = labels.size ? `${labels.size} labelled, ${open} open.` : "Nothing is labelled yet.";
  $("count").textContent = grid ? `${open} not recognised` : "no board";
  document.body.dataset.labelled = labels.size;
}

function boardText() {
  const [across, down] = gridSize(grid);
  const rows = Array.from({ length: down }, (_, row) => Array.from({ length: across }, (_, column) => truth(row * across + column)).join(""));
  return `${across} ${down} ${$("mines").value.trim() || "?"}\n${rows.join("\n")}\n`;
}

function download(name, blob) {
  const link = make("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// At once: `toBlob` waits until the browser is idle, for every picture anew.
const bytes = canvas => bytesOf(canvas.toDataURL("image/png").split(",")[1]);

// The screenshot with its truth, and one picture of every look that was labelled: of those alike to the pixel the first.
function all() {
  const base = sight.name.replace(/\.[a-z]+$/i, ""), files = [[`${base}.png`, bytesOf(sight.picture)], [`${base}.board`, boardText()]];
  const folder = `templates/${sight.client || "NAME"}/${sight.theme || "THEME"}`, known = new Set(), names = new Map();
  for (const [index, look] of [...labels].sort(([a], [b]) => a - b)) {
    const png = bytes(crop(place(index))), key = look + png.join();
    if (known.has(key)) continue;
    known.add(key);
    const list = names.get(look) || [], taken = sight.files?.[look] || [];
    let name, number = 1;
    do { name = `${fileOf(look)}-by-hand${number > 1 ? "-" + number : ""}.png`; number++; } while (list.includes(name) || taken.includes(name));
    names.set(look, [...list, name]);
    files.push([`${folder}/${name}`, png]);
  }
  const lines = [...names].map(([look, list]) => `"${look}" = [${[...sight.files?.[look] || [], ...list].map(name => `"${name}"`).join(", ")}]`);
  if (lines.length) files.push([`${folder}/tiles.toml`, `# For [theme.tiles] of the calibration, each line in place of the one that is there; leave out a picture that is not what it is called.\n${lines.join("\n")}\n`]);
  return zip(files);
}

function useGrid(given, read) {
  [grid, isRead, proposal, chosen] = [given, read, null, null];
  labels.clear();
  shown.whole = false;
  $("show-whole").setAttribute("aria-pressed", false);
  countLabels();
  choose([0, 0]);
}

function useHand() {
  const [across, down, left, top, right, bottom] = ["columns", "rows", "left", "top", "right", "bottom"].map(name => Number($("hand-" + name).value.replace(",", ".")));
  const whole = value => Number.isInteger(value) && value > 0 && value <= 500;
  const inside = left >= 0 && top >= 0 && right <= sight.size[0] && bottom <= sight.size[1];
  if (!whole(across) || !whole(down)) { $("hand-said").textContent = "Columns and rows are whole numbers from 1 to 500."; return; }
  if (!(inside && left < right && top < bottom)) { $("hand-said").textContent = `The edges must lie in the picture, which is ${sight.size.join(" x ")} pixels, left before right and top before bottom.`; return; }
  const edges = (from, to, parts) => Array.from({ length: parts + 1 }, (_, at) => from + (to - from) * at / parts);
  $("hand-said").textContent = "";
  useGrid({ columns: edges(left, right, across), lines: edges(top, bottom, down) }, false);
}

function toggle(name) {
  shown[name] = !shown[name];
  $("show-" + name).setAttribute("aria-pressed", shown[name]);
  draw();
}

document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.target.tagName === "INPUT") return;
  const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  if (arrows[event.key] && grid) {
    const [across, down] = gridSize(grid), [x, y] = arrows[event.key], [column, row] = chosen || [-x, -y];
    choose([(column + x + across) % across, (row + y + down) % down]);
  } else if (event.key === "n") goToNext();
  else if (event.key === "g") toggle("grid");
  else if (event.key === "r") toggle("read");
  else if (event.key === "z") toggle("whole");
  else if (LOOKS.includes(event.key) || event.key === "~") label(event.key);
  else return;
  event.preventDefault();
});
for (const name of Object.keys(shown)) { $("show-" + name).onclick = () => toggle(name); $("show-" + name).setAttribute("aria-pressed", shown[name]); }
$("next").onclick = goToNext;
$("labels").append(...LOOKS.map(look => make("button", { textContent: look, title: nameOf(look), onclick: () => label(look) })), make("button", { textContent: "~", title: "take the label away", onclick: () => label("~") }));
$("picture").onclick = event => { if (pen && grid && !proposal) { const cell = tileAt(grid, ...pen.place(event)); if (cell) choose(cell); } };
$("picture").onpointermove = event => {
  if (!pen || !grid || proposal) return;
  const cell = tileAt(grid, ...pen.place(event));
  if (cell) $("tile").textContent = `Column ${cell[0]}, row ${cell[1]}: ${nameOf(truth(indexOf(cell)))}` + (isRead ? `, score ${sight.tiles[indexOf(cell)].score.toFixed(2)}` : "");
};
for (const button of document.querySelectorAll("[data-proposal]")) {
  const show = () => { proposal = sight.proposals[button.dataset.proposal].grid; draw(); };
  button.onpointerenter = button.onfocus = button.onclick = show;
  button.onpointerleave = button.onblur = () => { proposal = null; draw(); };
}
for (const button of document.querySelectorAll("[data-use]")) button.onclick = () => useGrid(sight.proposals[button.dataset.use].grid, false);
$("hand-use").onclick = useHand;
$("mines").value = sight.mines ?? "";
$("save-board").onclick = () => { if (grid) download(sight.name.replace(/\.[a-z]+$/i, "") + ".board", new Blob([boardText()], { type: "text/plain" })); };
$("save-all").onclick = () => { if (grid) download(sight.name.replace(/\.[a-z]+$/i, "") + ".zip", all()); };
window.onresize = draw;
createImageBitmap(new Blob([bytesOf(sight.picture)], { type: "image/png" })).then(bitmap => {
  picture = bitmap;
  countLabels();
  draw();
  if (grid) choose([0, 0]);
  document.body.dataset.ready = "yes";
});
