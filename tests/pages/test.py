#!/usr/bin/python3
"""Every page in headless Chromium, by its driver: stepping, pointing, labelling, downloading, following a game. No page may ask
anything of anybody but where it came from, and every one must fit into 360 and into 1920 pixels.

    tests/pages/test.py [FOLDER]     screenshots go to FOLDER, if one is given

MINESIGHT is the program that is tried (target/debug/minesight). `advise` needs a display: see scripts/with-screen."""

import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.error
import urllib.request
import zipfile

from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

ROOT = pathlib.Path(__file__).resolve().parents[2]
MINESIGHT = str(pathlib.Path(os.environ.get("MINESIGHT", ROOT / "target/debug/minesight")).resolve())
SHOTS = None
RIGHT, LEFT, HOME, END = Keys.ARROW_RIGHT, Keys.ARROW_LEFT, Keys.HOME, Keys.END


def minesight(*args, ok=True):
    done = subprocess.run([MINESIGHT, *map(str, args)], capture_output=True, text=True, timeout=120)
    if ok and done.returncode != 0:
        raise AssertionError(f"minesight {args}: {done.stderr}")
    return done


def requests(sent):
    """What a client of an X server sent, request by request, after the greeting: the number of each, and its bytes."""
    word = lambda at: int.from_bytes(sent[at:at + 2], sys.byteorder)
    padded = lambda length: (length + 3) // 4 * 4
    at = 12 + padded(word(6)) + padded(word(8))
    while at + 4 <= len(sent):
        # A length of 0 stands for one that does not fit: it follows.
        length = 4 * (word(at + 2) or int.from_bytes(sent[at + 4:at + 8], sys.byteorder))
        yield sent[at], sent[at:at + length]
        at += length


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = pathlib.Path(tempfile.mkdtemp(prefix="minesight-pages."))
        options = webdriver.ChromeOptions()
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={cls.scratch}/chromium"):
            options.add_argument(argument)
        options.add_experimental_option("prefs", {"download.default_directory": str(cls.scratch / "downloads")})
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        cls.browser = webdriver.Chrome(options=options)
        cls.run_folder = cls.scratch / "run"
        minesight("play", "--simulated", "--games", 3, "--seed", 11, "--record", cls.run_folder, "--frames", "all")

    @classmethod
    def tearDownClass(cls):
        cls.browser.quit()
        shutil.rmtree(cls.scratch, ignore_errors=True)

    def open(self, url, width=1400):
        self.set_width(width)
        self.browser.get_log("performance")
        self.browser.get_log("browser")
        self.browser.get(url)
        self.address = url

    def set_width(self, width):
        metrics = {"width": width, "height": 1000, "deviceScaleFactor": 1, "mobile": False}
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)

    def script(self, text, *args):
        return self.browser.execute_script("return " + text, *args)

    def until(self, condition, what, seconds=15):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            found = condition()
            if found:
                return found
            time.sleep(0.02)
        self.fail(f"{what}: not within {seconds} s")

    def until_ready(self):
        self.until(lambda: self.script("document.body.dataset.ready"), "ready")

    def keys(self, *keys):
        for key in keys:
            ActionChains(self.browser).send_keys(key).perform()

    def text(self, selector):
        return self.browser.find_element(By.CSS_SELECTOR, selector).text

    def point(self, column, row, of="step() && gridOf(step())", click=False):
        """Moves the mouse to the middle of a tile; `of` is the grid, to the page's scripts."""
        x, y = self.script(
            f"(() => {{ const box = pen.box({of}, [{column}, {row}]), canvas = document.getElementById('picture'),"
            "frame = canvas.getBoundingClientRect(), share = frame.width / canvas.width;"
            "return [(box[0] + box[2] / 2) * share, (box[1] + box[3] / 2) * share]; })()")
        canvas = self.browser.find_element(By.ID, "picture")
        size = canvas.size
        chain = ActionChains(self.browser).move_to_element_with_offset(canvas, x - size["width"] / 2, y - size["height"] / 2)
        (chain.click() if click else chain).perform()

    def check(self, name):
        """No trouble on the console, no request but to where the page came from, no scrolling sideways; keeps a picture."""
        trouble = [line["message"] for line in self.browser.get_log("browser") if line["level"] in ("SEVERE", "WARNING")]
        self.assertEqual(trouble, [])
        events = [json.loads(line["message"])["message"] for line in self.browser.get_log("performance")]
        asked = [event["params"]["request"]["url"] for event in events if event["method"] == "Network.requestWillBeSent"]
        asked = [url for url in asked if not url.startswith(("data:", "blob:"))]
        if self.address.startswith("file:"):
            self.assertEqual(asked, [self.address.split("#")[0]])
        else:
            self.assertTrue(asked and all(url.startswith(self.address) for url in asked), asked)
        for width in (360, 1920, 1400):
            self.set_width(width)
            self.until(lambda: self.script("innerWidth") == width, "width")
            self.assertLessEqual(self.script("document.documentElement.scrollWidth"), width, f"{name} at {width}")
            if SHOTS and width != 1400:
                time.sleep(0.1)
                self.browser.save_screenshot(str(SHOTS / f"{name}-{width}.png"))
        if SHOTS:
            dark = [{"name": "prefers-color-scheme", "value": "dark"}]
            self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": dark})
            self.browser.save_screenshot(str(SHOTS / f"{name}-dark.png"))
            self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})

    def download(self, button):
        folder = self.scratch / "downloads"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        self.browser.find_element(By.ID, button).click()

        def done():  # the browser keeps the name with an empty file, writes another one, and puts it there
            files = list(folder.iterdir())
            if any(file.name.endswith(".crdownload") or file.name.startswith(".") for file in files):
                return []
            return [file for file in files if file.stat().st_size > 0]

        return self.until(done, "download")[0]

    # The game, step by step.

    def test_a_game_is_stepped_through(self):
        page = self.scratch / "game.html"
        minesight("replay", self.run_folder, "--game", 2, "--page", page)
        lines = [json.loads(line) for line in (self.run_folder / "session.jsonl").read_text().splitlines()]
        starts = [index for index, line in enumerate(lines) if "game" in line] + [len(lines)]
        game = lines[starts[1]:starts[2]]
        decisions = [line["decision"] for line in game if "decision" in line]
        self.open(page.as_uri())
        self.until_ready()
        step = lambda: int(self.script("document.body.dataset.step"))
        self.assertEqual(step(), 0)
        self.keys(RIGHT)
        self.assertEqual(step(), 1)
        self.assertRegex(self.text("#what"), "Guess|First click")  # the first click
        [column, row] = decisions[0]["open"][0]
        self.assertIn(f"({column}, {row})", self.text("#what"))
        self.point(column, row)
        self.assertIn(f"Column {column}, row {row}: hidden", self.text("#tile"))
        before = self.script("document.getElementById('picture').toDataURL()")
        self.keys("b")
        self.assertNotIn("hidden", self.text("#tile"))
        self.assertNotEqual(self.script("document.getElementById('picture').toDataURL()"), before)
        self.keys("b", END)
        self.assertEqual(step(), len(decisions) + 1)
        end = [line for line in game if "end" in line][0]["end"]["outcome"]
        self.assertIn(f"The end: {end}", self.text("#what"))
        self.keys(LEFT, HOME)
        self.assertEqual(step(), 0)
        guesses = [index + 1 for index, decision in enumerate(decisions) if "guess" in decision]
        for guess in guesses:
            self.keys("n")
            self.assertEqual(step(), guess)
        self.keys("N")
        self.assertEqual(step(), guesses[-2] if len(guesses) > 1 else guesses[-1])
        # To and fro gives the same picture.
        self.keys(HOME, RIGHT, RIGHT)
        there = self.script("screen_.toDataURL()")
        self.keys(END, HOME, RIGHT, RIGHT)
        self.assertEqual(self.script("screen_.toDataURL()"), there)
        # What the page says of every tile is what the session says.
        self.assertEqual(self.script("trace.steps.filter(step => step.chosen).map(step => step.tiles)"), self.readings(game))
        line = self.browser.find_element(By.ID, "line")
        ActionChains(self.browser).move_to_element_with_offset(line, line.size["width"] / 2 - 3, 0).click().perform()
        self.assertEqual(step(), len(decisions) + 1)
        self.keys("g", "r", "z", "z", HOME, "n")
        self.check("game")

    @staticmethod
    def readings(game):
        rows, found = [], []
        for line in game:
            rows = line.get("reading", {}).get("rows", rows)
            if "decision" in line:
                found.append("".join(line["decision"].get("rows") or rows))
        return found

    def test_text_from_a_session_is_never_markup(self):
        folder = self.scratch / "evil"
        shutil.copytree(self.run_folder, folder, dirs_exist_ok=True)
        session = folder / "session.jsonl"
        evil = "<img src=x onerror=document.title='evil'></script><script>document.title='evil'</script>"
        lines = [json.loads(line) for line in session.read_text().splitlines()]
        for line in lines:
            if "game" in line:
                line["game"].update(client=evil, level=evil, strategy=evil, version=evil)
            if "end" in line:
                line["end"].update(outcome=evil, trouble=evil)
        session.write_text("".join(json.dumps(line) + "\n" for line in lines))
        page = self.scratch / "evil.html"
        minesight("replay", folder, "--game", 1, "--page", page)
        self.open(page.as_uri())
        self.until_ready()
        self.keys(END)
        self.assertNotEqual(self.browser.title, "evil")
        self.assertEqual(self.script("document.images.length"), 0)
        self.check("evil")

    def test_the_report_leads_to_every_game(self):
        minesight("report", self.run_folder, "--expect", 0, "--games")
        self.open((self.run_folder / "report.html").as_uri())
        links = self.script("[...document.querySelectorAll('a')].map(a => a.href).filter(link => link.includes('/pages/'))")
        self.assertEqual(len(set(links)), 3)
        self.assertTrue(all(pathlib.Path(link[len("file://"):]).exists() for link in links))
        self.script("document.querySelectorAll('details').forEach(details => details.open = true)")
        self.check("report")

    # A screenshot, tile by tile.

    def theme_without(self, looks):
        """Winemine's calibration and templates less the pictures of some looks."""
        folder = self.scratch / "poor"
        shutil.rmtree(folder, ignore_errors=True)
        (folder / "calibration").mkdir(parents=True)
        shutil.copytree(ROOT / "templates/winemine", folder / "templates/winemine")
        text = (ROOT / "calibration/winemine.toml").read_text()
        head, tiles = text.split("[theme.tiles]")
        tiles = "".join(line + "\n" for line in tiles.splitlines() if not any(line.startswith(f'"{look}"') for look in looks))
        (folder / "calibration/winemine.toml").write_text(head + "[theme.tiles]" + tiles)
        return folder

    def test_twenty_tiles_are_labelled_by_hand_and_the_theme_is_read(self):
        shot = ROOT / "tests/fixtures/winemine/expert-0-before.png"
        truth = shot.with_suffix(".board").read_text().replace(".", "0").split("\n")[1:17]
        poor = self.theme_without("13")
        options = ("--client", "winemine", "--calibration", poor / "calibration")
        page = self.scratch / "shot.html"
        minesight("read", shot, *options, "--page", page)
        self.open(page.as_uri())
        self.until_ready()
        self.assertGreater(self.script("sight.tiles.filter(look => look.tile === '~').length"), 20)
        self.keys("n")
        labelled = {}
        for _ in range(20):
            column, row = self.script("chosen")
            labelled[column, row] = truth[row][column]
            self.keys(truth[row][column])
        self.assertEqual(len(labelled), 20)
        self.assertLessEqual({"1", "3"}, set(labelled.values()))
        self.assertIn("20 labelled", self.text("#labelled"))
        board = self.download("save-board")
        self.assertEqual(board.name, "expert-0-before.board")
        text = board.read_text()
        head, *rows = text.split("\n")
        self.assertEqual(head, "30 16 99")
        for row in range(16):
            for column in range(30):
                is_told = (column, row) in labelled or rows[row][column] != "~"
                self.assertEqual(rows[row][column], truth[row][column] if is_told else "~", (column, row))
        self.point(4, 4, of="grid", click=True)
        self.assertIn("Column 4, row 4", self.text("#chosen"))
        self.check("labels")
        archive = zipfile.ZipFile(self.download("save-all"))
        self.assertIsNone(archive.testzip())
        archive.extractall(poor)
        self.assertEqual((poor / "expert-0-before.board").read_text(), text)
        lines = (poor / "templates/winemine/default/tiles.toml").read_text()
        calibration = poor / "calibration/winemine.toml"
        head, tiles = calibration.read_text().split("[theme.tiles]")
        looks = [line[:3] for line in lines.splitlines()]
        tiles = [line for line in tiles.splitlines() if line[:3] not in looks]
        calibration.write_text(f"{head}[theme.tiles]\n{lines}" + "\n".join(tiles) + "\n")
        read = json.loads(minesight("read", poor / "expert-0-before.png", *options, "--json").stdout)
        self.assertEqual((read["unrecognised"], read["rows"]), ([], truth))

    def test_a_theme_without_any_template_is_labelled_by_hand_and_read(self):
        # To a client that knows nothing of it, nothing on the screenshot is a board: the grid is given by hand, too.
        folder, shots = self.scratch / "taken-away", ROOT / "tests/fixtures/winemine"
        shot = shots / "beginner-0-mid.png"
        truth = lambda shot: shot.with_suffix(".board").read_text().replace(".", "0").split("\n")[1:10]
        rows, page = truth(shot), self.scratch / "unknown.html"
        self.assertEqual(minesight("read", shot, "--client", "xdemineur", "--page", page, ok=False).returncode, 1)
        place = json.loads(minesight("read", shot, "--json").stdout)
        self.open(page.as_uri())
        self.until_ready()
        self.assertIn("No board was believed", self.text("main"))
        self.script("document.getElementById('hand').open = true")
        edges = (9, 9, place["columns"][0], place["lines"][0], place["columns"][-1], place["lines"][-1])
        for field, value in zip(("columns", "rows", "left", "top", "right", "bottom"), edges):
            self.browser.find_element(By.ID, "hand-" + field).send_keys(str(value))
        self.browser.find_element(By.ID, "hand-use").click()
        self.assertIn("81 not recognised", self.text("#count"))
        # The first tile of every look, and the next ones up to twenty.
        cells = [(column, row) for row in range(9) for column in range(9)]
        look = lambda cell: rows[cell[1]][cell[0]]
        cells = sorted(cells, key=lambda cell: [look(other) for other in cells[:cells.index(cell)]].count(look(cell)))
        for column, row in cells[:20]:
            self.point(column, row, of="grid", click=True)
            self.keys(rows[row][column])
        self.assertIn("20 labelled, 61 open", self.text("#labelled"))
        self.check("unknown")
        archive = zipfile.ZipFile(self.download("save-all"))
        archive.extractall(folder)
        (folder / "calibration").mkdir()
        # Into the calibration as the recipe says, with nothing else that it knew of tiles; the counter has pictures of its own.
        shutil.copytree(folder / "templates/NAME/THEME", folder / "templates/winemine/default")
        shutil.copytree(ROOT / "templates/winemine/counter", folder / "templates/winemine/counter")
        head, _ = (ROOT / "calibration/winemine.toml").read_text().split("[theme.tiles]")
        lines = (folder / "templates/NAME/THEME/tiles.toml").read_text()
        (folder / "calibration/winemine.toml").write_text(f"{head}[theme.tiles]\n{lines}")
        for shot in (folder / "beginner-0-mid.png", shots / "beginner-1-mid.png", shots / "beginner-2-before.png"):
            read = json.loads(minesight("read", shot, "--calibration", folder / "calibration", "--json").stdout)
            self.assertEqual(read["rows"], rows if shot.parent == folder else truth(shot), shot.name)

    def test_a_tile_is_pointed_at(self):
        page = self.scratch / "seen.html"
        minesight("read", ROOT / "tests/fixtures/gnome-mines/beginner-0-mid.png", "--page", page)
        self.open(page.as_uri())
        self.until_ready()
        tiles = self.script("sight.tiles.map(look => look.tile)")
        columns = self.script("columns()")
        for index in (0, columns + 2, len(tiles) - 1):
            self.point(index % columns, index // columns, of="grid", click=True)
            said = self.text("#chosen")
            self.assertIn(f"Column {index % columns}, row {index // columns}", said)
            self.assertIn(self.script("nameOf(arguments[0])", tiles[index]), said)
            self.assertIn("score", said)
            self.assertGreaterEqual(len(self.browser.find_elements(By.CSS_SELECTOR, "#chosen figure")), 3)
        self.check("seen")

    def test_a_screenshot_without_a_board_is_labelled_on_a_grid_of_ones_own(self):
        shot = sorted((ROOT / "tests/fixtures/none").glob("*.png"))[0]
        page = self.scratch / "none.html"
        done = minesight("read", shot, "--page", page, ok=False)
        self.assertEqual(done.returncode, 1)
        self.open(page.as_uri())
        self.until_ready()
        self.assertIn("No board was believed", self.text("main"))
        self.script("document.getElementById('hand').open = true")
        for field, value in zip(("columns", "rows", "left", "top", "right", "bottom"), (3, 2, 10, 10, 70, 99999)):
            self.browser.find_element(By.ID, "hand-" + field).send_keys(str(value))
        self.browser.find_element(By.ID, "hand-use").click()
        self.assertIn("must lie in the picture", self.text("#hand-said"))
        self.browser.find_element(By.ID, "hand-bottom").clear()
        self.browser.find_element(By.ID, "hand-bottom").send_keys("50")
        self.browser.find_element(By.ID, "hand-use").click()
        self.script("document.activeElement.blur()")
        self.keys("#", "1")
        self.assertEqual(self.download("save-board").read_text(), "3 2 ?\n#1~\n~~~\n")
        self.check("none")

    def test_text_from_files_is_never_markup(self):
        evil = "<img src=x onerror=document.title='evil'><script>document.title='evil'<!--.png"
        folder = self.scratch / "<script>document.title='evil'<!--"
        folder.mkdir()
        for fixture, name in (("none/page-2048", evil), ("winemine/beginner-0-mid", "x" + evil)):
            shutil.copy(ROOT / f"tests/fixtures/{fixture}.png", folder / name)
            minesight("read", folder / name, "--page", self.scratch / "name.html", ok=False)
            self.open((self.scratch / "name.html").as_uri())
            self.until_ready()
            self.assertIn(evil, self.text("h1"))
            self.check("name")
        (folder / ("x" + evil)).with_suffix(".board").write_text("9 9 10\n" + "#########\n" * 9)
        minesight("check", folder, "--any", "--page", self.scratch / "check.html", ok=False)
        self.open((self.scratch / "check.html").as_uri())
        self.assertIn(evil, self.text("main"))
        self.assertNotEqual(self.browser.title, "evil")
        self.check("check")

    def test_what_cannot_be_is_said_clearly(self):
        nowhere = self.scratch / "not" / "there.html"
        shot = ROOT / "tests/fixtures/winemine/beginner-0-mid.png"
        none = ROOT / "tests/fixtures/none/page-2048.png"
        damaged, foreign, poor = (self.scratch / name for name in ("damaged", "foreign", "poor-frames"))
        for folder in (damaged, foreign, poor):
            shutil.copytree(self.run_folder, folder)
        text = (self.run_folder / "session.jsonl").read_text()
        (damaged / "session.jsonl").write_text(text[:len(text) // 50])
        version = minesight("--version").stdout.split()[1]
        (foreign / "session.jsonl").write_text(text.replace(version, "99.0.0").replace('"strategy"', '"player"'))
        (poor / "frames/000001/00001.png").write_text("no picture")
        few = self.scratch / "few"
        few.mkdir()
        for end in (".png", ".board"):
            shutil.copy(shot.with_suffix(end), few)
        page = ("--page", self.scratch / "never.html")
        for args, said in (
            (("replay", damaged, "--game", 1, *page), "session.jsonl:"),
            (("replay", foreign, *page), "recorded by minesight 99.0.0"),
            (("replay", poor, "--game", 1, *page), "00001.png cannot be used"),
            (("replay", self.scratch, *page), "no recorded session"),
            (("replay", self.run_folder, "--page", nowhere), "there.html cannot be written"),
            (("read", shot, "--page", nowhere), "there.html cannot be written"),
            (("read", none, "--page", nowhere), "there.html cannot be written"),
            (("check", few, "--client", "winemine", "--page", nowhere), "there.html cannot be written"),
            (("play", "--simulated", "--page=203.0.113.7:80"), "the page cannot be at 203.0.113.7:80"),
        ):
            done = minesight(*args, ok=False)
            self.assertEqual((done.returncode, done.stdout), (1, ""), args)
            self.assertIn(said, done.stderr)
            self.assertNotIn("panicked", done.stderr)
        self.assertFalse((self.scratch / "never.html").exists())

    # What goes on.

    def start(self, *args):
        """Starts a program with a page; tells where that is."""
        process = subprocess.Popen([MINESIGHT, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(lambda: (process.kill(), process.communicate()))
        for line in process.stderr:
            if found := re.search(r"http://\S+/", line):
                return process, found[0]
        self.fail("no page")

    def test_a_run_is_followed(self):
        process, address = self.start("play", "--simulated", "--games", "4000", "--page=127.0.0.1:0", "--json")
        for pipe in (process.stdout, process.stderr):  # whoever writes into a full one cannot end
            threading.Thread(target=pipe.read, daemon=True).start()
        self.open(address)
        self.until_ready()
        numbers = lambda: self.text("#numbers")
        self.until(lambda: "of 4000" in numbers() and not numbers().startswith("0 of"), "games")
        first = numbers()
        self.until(lambda: numbers() != first and self.script("picture && picture.width > 100"), "the next game")
        for method, path, code in (("POST", "", 405), ("GET", "nothing", 404)):
            with self.assertRaises(urllib.error.HTTPError) as refused:
                urllib.request.urlopen(urllib.request.Request(address + path, method=method), timeout=5)
            self.assertEqual(refused.exception.code, code)
        self.check("run")
        taken = minesight("play", "--simulated", "--page=" + address[len("http://"):-1], ok=False)
        self.assertEqual(taken.returncode, 1)
        self.assertIn("--page", taken.stderr)
        process.terminate()
        self.until(lambda: self.script("document.body.dataset.ended"), "the end")

    # Of the requests of the X protocol those that ask, take pictures, and what these need: ids, shared memory, being told
    # where something was painted, and nothing else.
    LOOKS = {3, 14, 20, 43, 73, 98, 99}  # attributes, geometry, property, focus, picture, extension, extensions
    EXTENSIONS = {"BIG-REQUESTS", "DAMAGE", "MIT-SHM", "RANDR", "XINERAMA", "XKEYBOARD", "XFIXES", "RENDER", "GE", "Generic Event Extension"}

    @unittest.skipUnless(os.environ.get("DISPLAY"), "no display")
    def test_advice_asks_of_the_screen_nothing_but_pictures(self):
        """All that it sends to the X server passes through here, is kept, and is looked at one request after the other."""
        number = int(os.environ["DISPLAY"].split(":")[1].split(".")[0])
        sent = []
        here = next(free for free in range(number + 100, number + 200) if not os.path.exists(f"/tmp/.X11-unix/X{free}"))
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(f"/tmp/.X11-unix/X{here}")
        self.addCleanup(lambda: (listener.close(), os.unlink(f"/tmp/.X11-unix/X{here}")))
        listener.listen()

        def pass_on(source, target, kept):
            try:
                while True:
                    data, files, *_ = socket.recv_fds(source, 1 << 16, 8)  # shared memory comes as a file
                    if not data:
                        break
                    kept.append(data)
                    target.sendall(data[socket.send_fds(target, [data], files):])
                    [os.close(file) for file in files]
                target.shutdown(socket.SHUT_WR)
            except OSError:
                pass

        def accept():
            while True:
                try:
                    client = listener.accept()[0]
                except OSError:
                    return
                server = socket.socket(socket.AF_UNIX)
                server.connect(f"/tmp/.X11-unix/X{number}")
                asked, answered = [], []
                sent.append((asked, answered))
                threading.Thread(target=pass_on, args=(client, server, asked), daemon=True).start()
                threading.Thread(target=pass_on, args=(server, client, answered), daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()
        client = subprocess.Popen([ROOT / "scripts/client", "xdemineur", "beginner"], stderr=subprocess.PIPE, text=True)
        self.addCleanup(lambda: (client.terminate(), client.wait(10), client.stderr.close()))
        next(line for line in client.stderr if line.startswith("window "))
        program = subprocess.Popen([MINESIGHT, "advise", "--client", "xdemineur", "--json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                   text=True, env={**os.environ, "DISPLAY": f":{here}"})
        self.addCleanup(lambda: (program.kill(), program.communicate()))
        self.assertEqual(json.loads(program.stdout.readline())["state"], "playing")
        time.sleep(1)
        program.terminate()
        program.wait(10)
        pictures = 0
        for asked, _ in sent:
            for opcode, request in requests(b"".join(asked)):
                pictures += opcode == 73 or opcode >= 128  # shared memory, as only extensions from this list were asked for
                if opcode == 98:  # which extension it wants
                    length = int.from_bytes(request[4:6], sys.byteorder)
                    self.assertIn(request[8:8 + length].decode(), self.EXTENSIONS)
                elif opcode < 128:
                    self.assertIn(opcode, self.LOOKS)
        self.assertGreater(pictures, 3)

    @unittest.skipUnless(os.environ.get("DISPLAY"), "no display")
    def test_advice_follows_a_person(self):
        client = subprocess.Popen([ROOT / "scripts/client", "xdemineur", "beginner"], stderr=subprocess.PIPE, text=True)
        self.addCleanup(lambda: (client.terminate(), client.wait(10), client.stderr.close()))
        window = next(line.split()[1] for line in client.stderr if line.startswith("window "))
        process, address = self.start("advise", "--client", "xdemineur", "--page=127.0.0.1:0", "--json")
        self.open(address)
        self.until_ready()
        first = json.loads(process.stdout.readline())
        self.assertEqual(first["state"], "playing")
        pointer = lambda: subprocess.check_output(["xdotool", "getmouselocation"], text=True)
        # A tile is 16 pixels wide; the person plays where the advice says.
        seen = json.loads(minesight("read", "--client", "xdemineur", "--json").stdout)
        advice = first
        for _ in range(5):
            if advice["state"] != "playing" or not advice["decision"]:
                break
            column, row = advice["decision"]["open"][0]
            x, y = (int((edges[at] + edges[at] + pitch) / 2) for edges, at, pitch in
                    ((seen["columns"], column, seen["pitch"][0]), (seen["lines"], row, seen["pitch"][1])))
            subprocess.run(["xdotool", "mousemove", str(x), str(y), "click", "1"], check=True)
            where = pointer()
            advice = json.loads(process.stdout.readline())
            self.assertNotEqual(advice["rows"][row][column], "#")
            tiles = "".join(advice["rows"])
            self.until(lambda: self.script("state.tiles") == tiles, "the page")
            time.sleep(0.2)
            self.assertEqual(pointer(), where)  # it has no hands
        self.check("advice")


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith(("-", "Pages")):
        SHOTS = pathlib.Path(sys.argv.pop(1)).resolve()
        SHOTS.mkdir(parents=True, exist_ok=True)
    unittest.main()
