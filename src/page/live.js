"use strict";
const $ = id => document.getElementById(id);
const make = (tag, properties, ...children) => { const element = Object.assign(document.createElement(tag), properties); element.append(...children); return element; };
let state = null, picture = null, pen = null, cell = null;

const risks = () => {
  if (!state?.known) return [];
  const own = new Map(state.known.risks), rest = state.known.rest;
  return [...state.tiles].map((tile, index) => [index, own.has(index) ? own.get(index) : "#F?~".includes(tile) ? rest : undefined]).filter(([, risk]) => risk !== undefined);
};

function draw() {
  if (!picture || !state.grid) return;
  const grid = state.grid, room = $("window").clientWidth;
  pen = enlarge($("picture"), picture, [0, 0, picture.width, picture.height], room, grid.columns[1] - grid.columns[0], 16);
  drawRisks(pen, grid, risks(), state.known?.rest);
  for (const open of state.chosen?.open || []) drawFrame(pen, grid, open, state.chosen.guess ? COLOURS.guess : COLOURS.click, 2.5, state.chosen.guess);
}

const cells = list => list.slice(0, 8).map(([x, y]) => `(${x}, ${y})`).join(" ") + (list.length > 8 ? ` and ${list.length - 8} more` : "");

function tell() {
  const lines = [], { known, chosen } = state;
  if (chosen?.open.length) lines.push(make("p", { className: "best", textContent: chosen.guess ? `Best guess: ${cells(chosen.open)}, risk ${percent(chosen.risk)}` : `Certainly safe: ${cells(chosen.open)}` }));
  if (chosen?.mines.length) lines.push(make("p", { textContent: `Certain mines: ${cells(chosen.mines)}` }));
  if (known?.candidates) lines.push(make("p", { textContent: "Lowest risks: " + known.candidates.map(([[x, y], risk]) => `(${x}, ${y}) ${percent(risk)}`).join(", ") }));
  if (known?.rest !== undefined) lines.push(make("p", { textContent: `Elsewhere the risk is ${percent(known.rest)}.` }));
  $("what").replaceChildren(...lines);
  $("words").textContent = state.words;
}

const SIGNS = { won: "W", lost: "L", aborted: "A" };
const time = ms => ms < 2e3 ? `${Math.round(ms)} ms` : ms < 90e3 ? `${Math.round(ms / 1000)} s` : ms < 5400e3 ? `${Math.round(ms / 60e3)} min` : `${(ms / 3600e3).toFixed(1)} h`;

function tellRun() {
  const run = state.run;
  if (!run) return;
  const tile = (value, what) => make("div", { className: "tile" }, make("b", { textContent: value }), make("span", { textContent: what }));
  const [low, high] = run.ci95;
  $("numbers").replaceChildren(
    tile(run.of ? `${run.games} of ${run.of}` : run.games, "games"), tile(run.wins, "won"), tile(run.losses, "lost"), tile(run.aborted, "aborted"),
    tile(run.games ? percent(run.win_rate) : "–", `win rate, 95% from ${percent(low)} to ${percent(high)}`), tile(run.left_ms === null ? "–" : time(run.left_ms), "left, about"));
  const range = make("div", { className: "range", role: "img", ariaLabel: "win rate with its interval" });
  const bar = make("i"), mark = make("b");
  [bar.style.left, bar.style.width, mark.style.left] = [100 * low + "%", 100 * (high - low) + "%", 100 * run.win_rate + "%"];
  range.append(bar, mark);
  const rows = run.last.slice(-8).reverse().map(game => make("tr", {}, make("td", { textContent: game.game }), make("td", { textContent: game.outcome }), make("td", { className: "n", textContent: time(game.ms) }), make("td", { className: "n", textContent: game.fatal_risk === null ? "" : percent(game.fatal_risk) })));
  $("games").replaceChildren(make("h3", { textContent: "Win rate" }), range, make("h3", { textContent: "Last games" }),
    make("div", { className: "outcomes" }, ...run.last.map(game => make("span", { className: game.outcome, title: `game ${game.game}: ${game.outcome}`, textContent: SIGNS[game.outcome] }))),
    make("table", {}, make("tr", {}, ...["Game", "", "Time", "Lost at risk"].map(textContent => make("th", { textContent }))), ...rows));
}

function pointAt(tile) {
  cell = tile;
  if (!tile) { $("tile").textContent = "Point at a tile."; return; }
  const index = tile[1] * gridSize(state.grid)[0] + tile[0], risk = new Map(risks()).get(index);
  $("tile").textContent = `Column ${tile[0]}, row ${tile[1]}: ${nameOf(state.tiles[index])}` + (risk === undefined ? "" : `; risk ${percent(risk)}` + (risk === 0 ? " (safe)" : risk === 1 ? " (a mine)" : ""));
}

const pause = ms => new Promise(done => setTimeout(done, ms));

async function follow() {
  for (let after = 0, shown = null; ;) {
    try {
      const next = await (await fetch(`state?after=${after}`)).json();
      after = next.version;
      if (next.grid) {
        // A picture that is newer than what was said of it comes with news of its own at once.
        const answer = await fetch("picture");
        if (answer.ok) picture = await createImageBitmap(await answer.blob());
      }
      state = next;
      draw();
      tell();
      tellRun();
      if (cell) pointAt(cell);
      document.body.dataset.ready = "yes";
      document.body.dataset.version = after;
    } catch (error) {
      $("words").textContent = "It has ended, or cannot be reached; this is the last that was seen.";
      document.body.dataset.ended = "yes";
      await pause(2000);
    }
    await pause(20);
  }
}

$("picture").onpointermove = $("picture").onpointerdown = event => { if (pen) pointAt(tileAt(state.grid, ...pen.place(event))); };
window.onresize = draw;
follow();
