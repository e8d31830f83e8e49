"use strict";
// Boards on a canvas: a picture enlarged so that its tiles can be read, and over it what is known of them.
// Colours that people with any sort of colour vision can tell apart (Okabe and Ito, 2008); a sign always says the same.
const COLOURS = { safe: [0, 158, 115], doubt: [240, 228, 66], mine: [213, 94, 0], click: "#0072b2", guess: "#cc008c", line: "#56b4e9" };
const NAMES = { "#": "hidden", "0": "empty", "F": "flag", "?": "question mark", "*": "mine", "X": "exploded mine", "x": "wrong flag", "~": "not recognised" };
const nameOf = tile => NAMES[tile] || tile;

// A risk for people: never rounded to what is certain.
function percent(risk) {
  if (risk === 0 || risk === 1) return 100 * risk + "%";
  return Math.min(99.9, Math.max(0.1, Math.round(1000 * risk) / 10)) + "%";
}

function heat(risk) {
  const mix = (from, to, share) => from.map((part, index) => Math.round(part * (1 - share) + to[index] * share));
  const { safe, doubt, mine } = COLOURS;
  return risk < 0.5 ? mix(safe, doubt, 2 * risk) : mix(doubt, mine, 2 * risk - 1);
}

const gridSize = grid => [grid.columns.length - 1, grid.lines.length - 1];

// The tile at a place of the picture, as [column, row], or nothing.
function tileAt(grid, x, y) {
  const find = (edges, at) => edges.findIndex((edge, index) => index + 1 < edges.length && edge <= at && at < edges[index + 1]);
  const cell = [find(grid.columns, x), find(grid.lines, y)];
  return cell.includes(-1) ? null : cell;
}

// The minefield and some of what is around it, as [left, top, width, height].
function around(grid, size, margin) {
  const span = (edges, limit) => {
    const pitch = (edges[edges.length - 1] - edges[0]) / (edges.length - 1);
    const from = Math.max(0, Math.floor(edges[0] - margin * pitch));
    return [from, Math.min(limit, Math.ceil(edges[edges.length - 1] + margin * pitch)) - from];
  };
  const [[left, width], [top, height]] = [span(grid.columns, size[0]), span(grid.lines, size[1])];
  return [left, top, Math.max(1, width), Math.max(1, height)];
}

// Draws on `canvas` the part `view` of a picture, as large as the room allows, but tiles at least `least` pixels wide. What is
// drawn over it with the returned pen is in pixels of the canvas.
function enlarge(canvas, picture, view, room, pitch, least) {
  const [left, top, width, height] = view;
  const wanted = Math.max(Math.min(room / width, 0.78 * window.innerHeight / height), least / pitch);
  const dots = Math.max(1, Math.min(3, window.devicePixelRatio || 1));
  // Canvases have limits, in sides and in all.
  const scale = Math.min(wanted * dots, 8192 / width, 8192 / height);
  canvas.width = Math.max(1, Math.round(width * scale));
  canvas.height = Math.max(1, Math.round(height * scale));
  canvas.style.width = canvas.width / dots + "px";
  const context = canvas.getContext("2d");
  context.imageSmoothingEnabled = false;
  context.drawImage(picture, left, top, width, height, 0, 0, canvas.width, canvas.height);
  const pen = {
    context, scale, dots,
    x: at => (at - left) * scale,
    y: at => (at - top) * scale,
    box: (grid, [column, row]) => {
      const [x, y] = [pen.x(grid.columns[column]), pen.y(grid.lines[row])];
      return [x, y, pen.x(grid.columns[column + 1]) - x, pen.y(grid.lines[row + 1]) - y];
    },
    // Where in the picture a mouse is.
    place: event => {
      const frame = canvas.getBoundingClientRect();
      return [left + (event.clientX - frame.left) / frame.width * width, top + (event.clientY - frame.top) / frame.height * height];
    },
  };
  return pen;
}

function drawGrid(pen, grid) {
  const { context } = pen;
  const last = edges => edges[edges.length - 1];
  context.strokeStyle = COLOURS.line;
  context.lineWidth = pen.dots;
  context.beginPath();
  for (const x of grid.columns) { context.moveTo(pen.x(x), pen.y(grid.lines[0])); context.lineTo(pen.x(x), pen.y(last(grid.lines))); }
  for (const y of grid.lines) { context.moveTo(pen.x(grid.columns[0]), pen.y(y)); context.lineTo(pen.x(last(grid.columns)), pen.y(y)); }
  context.stroke();
}

function write(pen, text, x, y, size, colour, ground) {
  const { context } = pen;
  context.font = `bold ${size}px system-ui, "DejaVu Sans", sans-serif`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  if (ground) {
    context.lineWidth = size / 4;
    context.lineJoin = "round";
    context.strokeStyle = ground;
    context.strokeText(text, x, y);
  }
  context.fillStyle = colour;
  context.fillText(text, x, y);
}

// Tints every tile with its risk and signs those that differ from `rest`.
function drawRisks(pen, grid, risks, rest) {
  const columns = grid.columns.length - 1;
  for (const [index, risk] of risks) {
    const [x, y, width, height] = pen.box(grid, [index % columns, Math.floor(index / columns)]);
    const [red, green, blue] = heat(risk);
    pen.context.fillStyle = `rgba(${red},${green},${blue},${risk === rest ? 0.3 : 0.55})`;
    pen.context.fillRect(x, y, width, height);
    if (risk === rest) continue;
    const sign = risk === 0 ? "✓" : risk === 1 ? "●" : String(Math.min(99, Math.max(1, Math.round(100 * risk))));
    write(pen, sign, x + width / 2, y + height / 2, 0.55 * Math.min(width, height), "#000", "rgba(255,255,255,.75)");
  }
}

// What was read of every tile, in its corner.
function drawReading(pen, grid, tiles) {
  const columns = grid.columns.length - 1;
  for (let index = 0; index < tiles.length; index++) {
    if (tiles[index] === "#" || tiles[index] === "0") continue;
    const [x, y, width, height] = pen.box(grid, [index % columns, Math.floor(index / columns)]);
    write(pen, tiles[index], x + width * 0.2, y + height * 0.24, 0.42 * height, "#fff", tiles[index] === "~" ? "#b0005f" : "#000");
  }
}

function drawFrame(pen, grid, cell, colour, thick, dashed) {
  const [x, y, width, height] = pen.box(grid, cell);
  const { context } = pen;
  context.lineWidth = thick * pen.dots;
  context.strokeStyle = "#fff";
  context.setLineDash([]);
  context.strokeRect(x, y, width, height);
  context.strokeStyle = colour;
  context.setLineDash(dashed ? [5 * pen.dots, 3 * pen.dots] : []);
  context.strokeRect(x, y, width, height);
  context.setLineDash([]);
}
