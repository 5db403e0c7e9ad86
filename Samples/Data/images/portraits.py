#!/usr/bin/env python3
# Usage: Samples/Data/images/portraits.py DIRECTORY
# Draws the portraits of the sample heroes again: one PNG for each file NAME.png of the directory. A portrait depends
# only on the name.
import hashlib
import pathlib
import struct
import sys
import zlib

SIDE, SAMPLES = 240, 3
# The colours of skin and hair by the region of a hero's stories; the first region is that of all other heroes.
REGIONS = [
    ("", ["e3b38c", "c58c62", "d39d74"], ["1d1714", "2b1c14", "3b2416"]),
    ("anansi isis liongo makeda moremi mwindo sogolon sundiata yennenga", ["6b4029", "7d4d31", "573322"], ["15100e"]),
    ("beowulf bradamante brynhild cu-chulainn finn-mac-cumhaill hervor libuse robin-hood roland scathach sigurd",
     ["f0cfae", "f3d6ba"], ["6f4321", "a8692b", "d9b25f", "9a4a22"]),
    ("ilya-muromets vainamoinen vasilisa", ["f0cfae"], ["8c8a86", "a8692b", "d9b25f"]),
    ("glooscap hiiaka hinemoa hunahpu kiviuq lam-ang mama-huaco maui pele qat quetzalcoatl sina sky-woman xbalanque "
     "xquic", ["9c6644", "b27a52", "8d5a3b"], ["15100e", "1d1714"]),
    ("arjuna draupadi hanuman rama savitri sita srikandi", ["9c6644", "b27a52", "c58c62"], ["15100e"]),
    ("kaguya-hime momotaro mulan nezha princess-bari sun-wukong thanh-giong tomoe-gozen geser",
     ["f0cfae", "e8c19c"], ["15100e", "1d1714"]),
]
BEARDED = """beowulf enkidu finn-mac-cumhaill gilgamesh hector heracles ilya-muromets odysseus orpheus perseus roland
  rostam sigurd sundiata theseus vainamoinen yu-the-great aeneas el-cid david-of-sassoun hayk ogier""".split()
SKY = ["24476b", "6b2f3c", "2f5d50", "57407a", "8a5a24", "33566e", "7a3f2a", "3f4a2c"]
CLOAKS = ["b23a2e", "c9932b", "2f6f8f", "5b7d3a", "7b4a86", "d8cfc0", "34434f", "a85f3b"]


def color(text):
    return tuple(int(text[i:i + 2], 16) for i in (0, 2, 4))


def shade(value, factor):
    return tuple(max(0, min(255, int(part * factor))) for part in value)


class Portrait:
    """The shapes of a portrait, as functions of a point of the unit square."""

    def __init__(self, name):
        bits = int.from_bytes(hashlib.sha256(name.encode()).digest(), "big")

        def choose(values):
            nonlocal bits
            bits, index = divmod(bits, len(values))
            return values[index]

        self.sky, self.cloak = color(choose(SKY)), color(choose(CLOAKS))
        skins, hairs = next((r[1:] for r in REGIONS if name in r[0].split()), REGIONS[0][1:])
        self.skin, self.hair = color(choose(skins)), color(choose(hairs))
        self.length = choose([0.0, 0.12, 0.26])
        self.head = choose(["none", "circlet", "helmet", "hood", "crown", "laurel"])
        self.fringe = choose([0.30, 0.34, 0.37])
        self.beard = name in BEARDED
        self.metal = color(choose(["d9b04a", "b9c0c6", "b0793a"]))

    @staticmethod
    def ellipse(x, y, cx, cy, rx, ry):
        return ((x - cx) / rx) ** 2 + ((y - cy) / ry) ** 2 <= 1

    def at(self, x, y):
        inside = self.ellipse
        skin, hair = self.skin, self.hair
        face = inside(x, y, 0.5, 0.47, 0.165, 0.205)
        if self.head == "helmet" and y < 0.42 and inside(x, y, 0.5, 0.44, 0.195, 0.245):
            return shade(self.metal, 1.12 if x < 0.5 else 0.92) if y < 0.385 else shade(self.metal, 0.7)
        if self.head == "helmet" and 0.12 < y < 0.22 and abs(x - 0.5) < 0.025:
            return self.cloak
        if self.head == "crown" and 0.17 + 0.05 * abs(((x - 0.33) * 11.8) % 2 - 1) < y < 0.31 and abs(x - 0.5) < 0.17:
            return shade(self.metal, 1.1 if x < 0.5 else 0.95)
        if self.head == "circlet" and 0.315 < y < 0.35 and abs(x - 0.5) < 0.185:
            return shade(self.metal, 1.25) if abs(x - 0.5) < 0.025 else self.metal
        if self.head == "laurel" and 0.25 < y < 0.37 and abs(x - 0.5) < 0.2 and inside(x, y, 0.5, 0.44, 0.2, 0.21):
            if (x * 14 + (y * 9 if x < 0.5 else -y * 9)) % 1 < 0.62 and not inside(x, y, 0.5, 0.5, 0.16, 0.21):
                return (74, 122, 62)
        if face:
            for side in (-1, 1):
                if inside(x, y, 0.5 + side * 0.068, 0.465, 0.021, 0.013):
                    return (28, 24, 24)
                if abs(x - 0.5 - side * 0.07) < 0.036 and 0.427 < y - abs(abs(x - 0.5) - 0.07) * 0.18 < 0.438:
                    return shade(hair, 0.8)
            if abs(x - 0.5) < 0.045 and 0.578 < y < 0.589:
                return shade(skin, 0.55)
            if inside(x, y, 0.507, 0.525, 0.016, 0.03):
                return shade(skin, 0.86)
            if self.beard and y > 0.545 + 0.06 * (1 - abs(x - 0.5) / 0.165) - 0.05 * (abs(x - 0.5) > 0.05):
                return hair
            if y < self.fringe + 0.09 * abs(x - 0.5) / 0.165:
                return hair
            return skin if x < 0.56 else shade(skin, 0.93)
        if self.beard and inside(x, y, 0.5, 0.62, 0.13, 0.13) and y > 0.6:
            return shade(hair, 0.92)
        if self.head == "hood" and inside(x, y, 0.5, 0.5, 0.25, 0.31) and y < 0.86:
            return shade(self.cloak, 0.78 if inside(x, y, 0.5, 0.49, 0.2, 0.25) else 0.95)
        if y < 0.47 + self.length and inside(x, y, 0.5, 0.46, 0.2, 0.235 if y < 0.46 else 0.3 + self.length):
            return shade(hair, 0.9)
        if abs(x - 0.5) < 0.075 and 0.6 < y < 0.8:
            return shade(skin, 0.85)
        if inside(x, y, 0.5, 1.06, 0.42, 0.33):
            if abs(x - 0.5) < 0.1 and y < 0.79 + 0.3 * (0.1 - abs(x - 0.5)):
                return shade(skin, 0.9)
            if inside(x, y, 0.34, 0.87, 0.035, 0.035):
                return self.metal
            return shade(self.cloak, 1.05 if x < 0.5 else 0.9)
        return shade(self.sky, 1.55) if inside(x, y, 0.5, 0.45, 0.38, 0.38) else self.sky

    def rows(self):
        steps = [(i + 0.5) / SIDE / SAMPLES for i in range(SIDE * SAMPLES)]
        for row in range(SIDE):
            samples = [[self.at(x, y) for x in steps] for y in steps[row * SAMPLES:(row + 1) * SAMPLES]]
            yield [tuple(
                sum(samples[j][column * SAMPLES + i][part] for i in range(SAMPLES) for j in range(SAMPLES)) // SAMPLES ** 2
                for part in range(3)) for column in range(SIDE)]


def png(rows):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    data = b"".join(b"\0" + bytes(part for pixel in row for part in pixel) for row in rows)
    header = struct.pack(">IIBBBBB", SIDE, SIDE, 8, 2, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(data, 9)) + chunk(b"IEND", b""))


for path in sorted(pathlib.Path(sys.argv[1]).glob("*.png")):
    path.write_bytes(png(Portrait(path.stem).rows()))
