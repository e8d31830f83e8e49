#!/usr/bin/python3
"""What the pages cost, for results/workbench.md.

    tests/pages/measure.py game RUN           size of the page of every kept game of a run, and how long it takes to make
    tests/pages/measure.py advise CLIENT N    from a click of a person to the new hints, N times, on a real client (scripts/with-screen)
    tests/pages/measure.py play N             what --page costs a game of the built-in client, N times, followed by a browser's questions

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
    """The same games without a page, with one that nobody follows, and with one that is followed, in turn: the processor time of the
    thread that plays, which is all that a game has to wait for. Others on the machine change the clock's time, not this."""
    def run(seed, page):
        args = [MINESIGHT, "play", "--simulated", "--level", "expert", "--games", "10", "--seed", str(seed), "--strategy", "lowest-risk", "--json"]
        process = subprocess.Popen(args + (["--page=127.0.0.1:0"] if page else []), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        stop = threading.Event()
        if page:
            address = re.search(r"http://\S+/", process.stderr.readline())[0]
        if page == "followed":
            threading.Thread(target=follow, args=(address, stop), daemon=True).start()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # it has ended, and its numbers are still there
        nanoseconds = int(open(f"/proc/{process.pid}/schedstat").read().split()[0])
        stop.set()
        process.communicate()
        return nanoseconds / 1e6
    ways = [None, "alone", "followed"]
    ratios = {way: [] for way in ways}
    plain = []
    for seed in range(1, count + 1):
        order = ways[seed % 3:] + ways[:seed % 3]
        times = {way: run(seed, way) for way in order}
        plain.append(times[None] / 10)
        for way in ways[1:]:
            ratios[way].append(100 * (times[way] / times[None] - 1))
    print(f"an expert game, ms of the thread that plays: {spread(plain)}")
    for way in ways[1:]:
        print(f"per cent more with a page that is {way}: {spread(ratios[way])}; mean {statistics.mean(ratios[way]):.2f}")


if __name__ == "__main__":
    what, *rest = sys.argv[1:]
    {"game": lambda: game(rest[0]), "advise": lambda: advise(rest[0], int(rest[1])), "play": lambda: play(int(rest[0]))}[what]()
