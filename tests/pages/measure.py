#!/usr/bin/python3
"""What the pages cost, for results/workbench.md.

    tests/pages/measure.py game RUN           size of the page of every kept game of a run, and how long it takes to make
    tests/pages/measure.py advise CLIENT N    from a click of a person to the new hints, N times, on a real client (scripts/with-screen)
    tests/pages/measure.py play N             what --page costs a game of the built-in client, N pairs of runs, followed by a browser's questions

MINESIGHT is the program (target/release/minesight)."""

import json
import os
import pathlib
import re
import resource
import statistics
import subprocess
import sys
import threading
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
MINESIGHT = os.environ.get("MINESIGHT", str(ROOT / "target/release/minesight"))


def spread(values):
    values = sorted(values)
    return f"median {statistics.median(values):.1f}, {values[0]:.1f} to {values[-1]:.1f}, {len(values)} times"


def game(run):
    games = [json.loads(line)["game"]["game"] for line in open(pathlib.Path(run) / "session.jsonl") if '"game":{' in line]
    sizes, times, work = [], [], []
    spent = lambda: sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
    for number in games:
        began, before = time.monotonic(), spent()
        page = f"/tmp/measured-{os.getpid()}.html"
        subprocess.run([MINESIGHT, "replay", run, "--game", str(number), "--page", page], check=True, capture_output=True)
        times.append(1000 * (time.monotonic() - began))
        work.append(1000 * (spent() - before))
        sizes.append(os.path.getsize(page) / 1000)
        os.remove(page)
    print(f"kB: {spread(sizes)}\nms: {spread(times)}; of the processor: {spread(work)}")


def advise(client, count):
    """A click, until the line with the new hints is there: pressing, painting, seeing, reading, working out the risks."""
    times, own, games = [], [], 0
    # One that is there already: starting a program takes longer than all the rest on a busy machine.
    hand = subprocess.Popen(["xdotool", "-"], stdin=subprocess.PIPE, text=True, bufsize=1)
    while len(times) < count and games < 60:
        games += 1
        program = subprocess.Popen([ROOT / "scripts/client", client, "expert"], stderr=subprocess.PIPE, text=True)
        next(line for line in program.stderr if line.startswith("window "))
        time.sleep(2)
        bot = subprocess.Popen([MINESIGHT, "advise", "--client", client, "--json"], stdout=subprocess.PIPE, text=True)
        advice = json.loads(bot.stdout.readline())
        seen = json.loads(subprocess.check_output([MINESIGHT, "read", "--client", client, "--json"], text=True))
        middle = lambda edges, at, pitch: str(int(edges[at] + pitch / 2))
        while advice["state"] == "playing" and advice["decision"] and advice["decision"]["open"] and len(times) < count:
            column, row = advice["decision"]["open"][0]
            x, y = middle(seen["columns"], column, seen["pitch"][0]), middle(seen["lines"], row, seen["pitch"][1])
            subprocess.run(["xdotool", "mousemove", x, y], check=True)
            time.sleep(0.15)
            began = time.monotonic()
            hand.stdin.write("click 1\n")
            advice = json.loads(bot.stdout.readline())
            times.append(1000 * (time.monotonic() - began))
            own.append(advice["ms"])
        bot.terminate()
        program.terminate()
        program.wait()
        bot.wait()
    print(f"{client}, {games} games. ms from starting the click to the hints: {spread(times)}; of these reading and deciding: {spread(own)}")


def follow(address, stop):
    """Asks as the page does."""
    version = 0
    while not stop.is_set():
        try:
            version = json.load(urllib.request.urlopen(f"{address}state?after={version}", timeout=20))["version"]
            urllib.request.urlopen(f"{address}picture", timeout=20).read()
        except OSError:
            pass
        time.sleep(0.02)


def play(count):
    """CPU time would count what the page's own thread does on another core; so it is the time the games take."""
    def run(seed, with_page):
        args = [MINESIGHT, "play", "--simulated", "--level", "expert", "--games", "20", "--seed", str(seed), "--json"]
        process = subprocess.Popen(args + (["--page=127.0.0.1:0"] if with_page else []), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        stop = threading.Event()
        if with_page:
            address = re.search(r"http://\S+/", process.stderr.readline())[0]
            threading.Thread(target=follow, args=(address, stop), daemon=True).start()
        out, _ = process.communicate()
        stop.set()
        return sum(json.loads(line)["ms"] for line in out.splitlines() if '"game"' in line)
    ratios = []
    for seed in range(1, count + 1):
        pair = [run(seed, with_page) for with_page in ((False, True) if seed % 2 else (True, False))]
        plain, paged = pair if seed % 2 else pair[::-1]
        ratios.append(100 * (paged / plain - 1))
    print(f"per cent that 20 expert games take longer with --page: {spread(ratios)}")


if __name__ == "__main__":
    what, *rest = sys.argv[1:]
    {"game": lambda: game(rest[0]), "advise": lambda: advise(rest[0], int(rest[1])), "play": lambda: play(int(rest[0]))}[what]()
