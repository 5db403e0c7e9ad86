#!/usr/bin/env python3
"""Films how heroes are dragged to the favourites, as an animated PNG and a picture for the documentation.

    Samples/HeroesApp/film.py DIRECTORY-OF-THE-SAMPLES [OUTPUT]

OUTPUT is the directory of the pictures; by default, it is that of the documentation of DropScenes. The script needs
Xvfb and xdotool. It moves the pointer in steps, and takes a frame when the screen is unchanged after a step. So the film
does not depend on the speed of the machine.
"""

import contextlib
import os
import pathlib
import signal
import struct
import subprocess
import sys
import tempfile
import time
import zlib

WIDTH, HEIGHT = 932, 520
FAVOURITES_LEFT, ROW_LEFT, DROP = 472, 190, (640, 200)
FRAME, PAUSE, END = 100, 700, 2200    # milliseconds
BACKGROUND = bytes((0x8F, 0x9B, 0xAD))
LIMIT = 1_000_000
ARROW = """
#
##
#.#
#..#
#...#
#....#
#.....#
#......#
#.......#
#........#
#.........#
#......#####
#...#..#
#..# #..#
#.#  #..#
##    #..#
      #..#
       ##
""".split("\n")[1:-1]


class Failure(Exception):
    pass


class Stage:
    """A display with the windows of the sample."""

    def __init__(self, samples, work):
        self.work, self.processes = work, []
        self.frames, self.pointer = [], (20, 400)
        self.environment = {
            name: value for name, value in os.environ.items() if name not in ("WAYLAND_DISPLAY", "GTK_THEME")}
        reader, writer = os.pipe()
        screen = ["-screen", "0", f"{WIDTH}x{HEIGHT}x24", "-fbdir", str(work), "-nolisten", "tcp"]
        self.start("Xvfb", "-displayfd", str(writer), *screen, pass_fds=[writer])
        os.close(writer)
        with os.fdopen(reader) as number:
            self.environment["DISPLAY"] = ":" + number.readline().strip()
        script = work / "script"
        script.write_text(":wait Heroes 72 heroes\n:wait Favourites closed\n")
        self.start(str(samples / "HeroesApp"), "--desktop", "--script", str(script))

    def start(self, *arguments, **options):
        log = open(self.work / "log", "a")
        self.processes.append(subprocess.Popen(
            arguments, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=self.environment, start_new_session=True,
            **options))

    def end(self):
        for process in reversed(self.processes):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(10)

    def input(self, *arguments):
        done = subprocess.run(
            ["xdotool", *map(str, arguments)], env=self.environment, capture_output=True, text=True, timeout=60)
        return done.stdout.split()

    def place(self, name, left):
        end = time.monotonic() + 60
        while time.monotonic() < end:
            if found := self.input("search", "--onlyvisible", "--name", f"^{name}$"):
                self.input("windowmove", found[-1], left, 0)
                return
            time.sleep(0.1)
        raise Failure(f"no window {name}")

    def screen(self):
        """Returns the rows of the screen as red, green and blue."""
        data = (self.work / "Xvfb_screen0").read_bytes()
        header = struct.unpack(">25I", data[:100])
        start, stride = header[0] + 12 * header[19], header[12]
        rows = []
        for y in range(HEIGHT):
            row = data[start + y * stride:start + y * stride + 4 * WIDTH]
            colours = bytearray(3 * WIDTH)
            colours[0::3], colours[1::3], colours[2::3] = row[2::4], row[1::4], row[0::4]
            # The screen behind the windows is black.
            colours[3 * 460:3 * FAVOURITES_LEFT] = colours[3 * 460:3 * FAVOURITES_LEFT].replace(b"\0\0\0", BACKGROUND)
            rows.append(colours)
        return rows

    def settled(self, former=None):
        """Returns the screen when it is unchanged for some time; a former screen must have changed before."""
        end = time.monotonic() + 60
        last, since = self.screen(), time.monotonic()
        while time.monotonic() < end:
            time.sleep(0.05)
            now = self.screen()
            if now != last:
                last, since = now, time.monotonic()
            elif now != former and time.monotonic() - since > 0.25:
                return now
        raise Failure("the screen does not change" if last == former else "the screen never stays unchanged")

    def take(self, milliseconds=FRAME, former=None):
        screen = self.settled(former)
        rows = [bytearray(row) for row in screen]
        for y, line in enumerate(ARROW):
            for x, mark in enumerate(line):
                left, top = self.pointer[0] + x, self.pointer[1] + y
                if mark != " " and left < WIDTH and top < HEIGHT:
                    rows[top][3 * left:3 * left + 3] = b"\0\0\0" if mark == "#" else b"\xff\xff\xff"
        self.frames.append((rows, milliseconds))
        return screen

    def move(self, end, steps):
        start = self.pointer
        for step in range(1, steps + 1):
            # The pointer starts and stops slowly.
            part = step / steps
            part = part * part * (3 - 2 * part)
            self.pointer = tuple(round(a + (b - a) * part) for a, b in zip(start, end))
            self.input("mousemove", *self.pointer)
            self.take()

    def drag(self, top):
        """Drags the row at a height to the favourites."""
        self.move((ROW_LEFT, top), 6)
        self.input("mousedown", 1)
        self.take(2 * FRAME)
        self.move(DROP, 14)
        before = self.take(2 * FRAME)
        self.input("mouseup", 1)
        self.take(PAUSE, before)


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def compressed(rows):
    """Returns the rows of a picture with the filter `up`, as in a PNG file."""
    lines, above = [], bytes(len(rows[0]))
    for row in rows:
        lines.append(b"\2" + bytes((a - b) & 255 for a, b in zip(row, above)))
        above = row
    return min(zlib.compress(b"".join(lines), 9), zlib.compress(b"".join(b"\0" + row for row in rows), 9), key=len)


def picture(rows, *before_data):
    header = struct.pack(">IIBBBBB", len(rows[0]) // 3, len(rows), 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + b"".join(before_data) + chunk(b"IDAT", compressed(rows))


def difference(old, new):
    """Returns the smallest rectangle with all changes: left, top, right and bottom."""
    lines = [y for y in range(HEIGHT) if old[y] != new[y]]
    if not lines:
        return 0, 0, 1, 1
    columns = [
        x for y in lines for x in range(WIDTH) if old[y][3 * x:3 * x + 3] != new[y][3 * x:3 * x + 3]]
    return min(columns), lines[0], max(columns) + 1, lines[-1] + 1


def animation(frames):
    """Returns an animated PNG, in which each frame replaces the rectangle that has changed."""
    def control(number, box, milliseconds):
        left, top, right, bottom = box
        return chunk(b"fcTL", struct.pack(
            ">IIIIIHHBB", number, right - left, bottom - top, left, top, milliseconds, 1000, 0, 0))
    (first, milliseconds), *rest = frames
    parts = [picture(
        first, chunk(b"acTL", struct.pack(">II", len(frames), 0)), control(0, (0, 0, WIDTH, HEIGHT), milliseconds))]
    number, old = 1, first
    for new, milliseconds in rest:
        left, top, right, bottom = box = difference(old, new)
        data = compressed([row[3 * left:3 * right] for row in new[top:bottom]])
        parts += [control(number, box, milliseconds), chunk(b"fdAT", struct.pack(">I", number + 1) + data)]
        number, old = number + 2, new
    return b"".join(parts) + chunk(b"IEND", b"")


def film(samples, work):
    stage = Stage(samples, work)
    try:
        stage.place("Favourites", FAVOURITES_LEFT)
        stage.place("Heroes", 0)
        stage.input("mousemove", *stage.pointer)
        time.sleep(1)
        stage.take(PAUSE)
        # The favourites are sorted by name, so the second hero is shown above the first one.
        stage.drag(290)
        still = len(stage.frames) - 3
        stage.drag(130)
        stage.move((400, 420), 5)
        stage.take(END)
    finally:
        stage.end()
    return stage.frames, still


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    root = pathlib.Path(__file__).resolve().parents[2]
    output = pathlib.Path(sys.argv[2] if len(sys.argv) == 3 else root / "Sources/DropScenes/DropScenes.docc/Resources")
    samples = pathlib.Path(sys.argv[1]).resolve(strict=True)
    try:
        with tempfile.TemporaryDirectory(prefix="film-", ignore_cleanup_errors=True) as work:
            frames, still = film(samples, pathlib.Path(work))
    except (Failure, OSError, subprocess.SubprocessError) as failure:
        sys.exit(f"film: {failure}")
    content = animation(frames)
    if len(content) >= LIMIT:
        sys.exit(f"film: the film has {len(content)} bytes, and the limit is {LIMIT}")
    output.mkdir(parents=True, exist_ok=True)
    (output / "heroes-drag.png").write_bytes(content)
    (output / "heroes-drag-still.png").write_bytes(picture(frames[still][0]) + chunk(b"IEND", b""))
    seconds = sum(milliseconds for _, milliseconds in frames) / 1000
    print(f"{len(frames)} frames, {seconds:.1f} s, {len(content)} bytes")


main()
