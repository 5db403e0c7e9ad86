#!/usr/bin/env python3
# Part of DragPipe.
# SPDX-License-Identifier: Apache-2.0
"""Reads drop streams and files by their description alone (DropStreamFormat.md): standard library only.

usage: drop_reader.py FILE|-         prints what is there as JSON
exit 1 with a sentence where it is not sound, 64 where it is called in another way, 66 where there is nothing to read

For each item its name and representations: type, size of the content and its CRC-32 (that of zlib, which nothing in
the format computes), estimate, alias and supertypes where they are stated, failure where there is no content. Of a file
also whether its index is that of its items.
"""
import json
import struct
import sys
import zlib

TABLE = []
for byte in range(256):
    crc = byte
    for _ in range(8):
        crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
    TABLE.append(crc)


def crc32c(data, crc=0):
    crc ^= 0xFFFFFFFF
    for byte in data:
        crc = (crc >> 8) ^ TABLE[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


class Unsound(Exception):
    pass


def expect(condition, sentence):
    if not condition:
        raise Unsound(sentence)


OFFER, DATA, END_OF_REPRESENTATION, END_OF_ITEM, END_OF_STREAM, FAILURE, FAILURE_OF_REPRESENTATION = range(1, 8)
INDEX_PAGE, INDEX_FOOTER, PADDING = 0x81, 0x82, 0x83
WHOLE = 1


def fields(payload, once, often=()):
    """The fields of a payload as (tag, value), `once` at most once each; an unknown one is skipped or refused."""
    found = []
    while payload:
        expect(len(payload) >= 5, "a field is cut")
        tag, length = struct.unpack_from("<BI", payload)
        expect(len(payload) >= 5 + length, "a field is longer than what holds it")
        if tag in once or tag in often:
            expect(tag in often or tag not in (earlier for earlier, _ in found), f"two fields {tag}")
            found.append((tag, payload[5 : 5 + length]))
        else:
            expect(tag & 0x80, f"an unknown field {tag}")
        payload = payload[5 + length :]
    return found


def failure(payload):
    kind, reason = None, ""
    for tag, value in fields(payload, {1, 2}):
        if tag == 1:
            expect(len(value) == 1, "a kind of another length")
            kind = "cancelled" if value == b"\2" else "failed"
        else:
            expect(1 <= len(value) <= 1024, "a reason of another length")
            reason = value.decode("utf-8")
    expect(kind is not None, "a failure without a kind")
    return {"kind": kind, "reason": reason}


def offer(payload):
    item = {"name": None, "representations": []}
    for tag, value in fields(payload, {1}, {2}):
        if tag == 1:
            item["name"] = value.decode("utf-8")
        else:
            item["representations"].append(representation(value, item["representations"]))
    expect(item["representations"], "an offer of nothing")
    return item


def representation(payload, earlier):
    found = {}
    for tag, value in fields(payload, {1, 2, 3, 0x84}, {0x83}):
        if tag == 1:
            found["type"] = value.decode("utf-8")
        elif tag == 2:
            (found["promised"],) = struct.unpack("<Q", value)
        elif tag == 3:
            (found["alias"],) = struct.unpack("<I", value)
            expect(found["alias"] < len(earlier) and "alias" not in earlier[found["alias"]], "an alias of nothing")
        elif tag == 0x83:
            found.setdefault("supertypes", []).append(value.decode("utf-8"))
        else:
            (found["estimate"],) = struct.unpack("<Q", value)
    expect("type" in found, "a representation without a type")
    if "alias" in found and "promised" in found:
        expect(found["promised"] == earlier[found["alias"]].get("promised"), "an alias with a size of its own")
    return found


def leading(payload, form, sentence):
    """The number that a payload starts with; behind it may be fields that a later version knows."""
    width = struct.calcsize(form)
    expect(len(payload) >= width, sentence)
    fields(payload[width:], ())
    return struct.unpack_from(form, payload)[0]


class Reader:
    def __init__(self, data):
        self.data = data
        self.items = []
        self.item = None  # the one that is under way
        self.turn = 0  # the representation whose turn it is
        self.chunks = None
        self.counts = [0, 0, 0, 0]  # items, representations, frames, bytes
        self.digest = b""
        self.page = ([], [])  # items and representations since the last page
        self.pages = []
        self.footer = None

    def read(self):
        data = self.data
        expect(len(data) > 0, "no drop stream: nothing")
        expect(data[:8] == b"\xd7DRP\r\n\x1a\n"[: len(data)], "no drop stream")
        expect(len(data) >= 16, "cut within the preamble")
        expect(struct.unpack_from("<I", data, 12)[0] == crc32c(data[:12]), "the check of the preamble")
        expect(data[8] == 1 and data[10] == 1 and data[11] == 1, "another version or check")
        self.digest = data[12:16]
        offset = 16
        while True:
            expect(len(data) - offset >= 28, "cut")
            head = data[offset : offset + 20]
            kind, flags, zero, request, length, sequence = struct.unpack("<BBHIQI", head)
            expect(struct.unpack_from("<I", data, offset + 20)[0] == crc32c(head), "the check of a header")
            expect(zero == 0 and request == 0, "reserved bits")
            expect(sequence == self.counts[2] % (1 << 32), "a frame out of sequence")
            expect(length <= len(data) - offset - 28, "cut within a frame")
            payload = data[offset + 24 : offset + 24 + length]
            check = data[offset + 24 + length : offset + 28 + length]
            expect(struct.unpack("<I", check)[0] == crc32c(payload, crc32c(head)), "the check of a frame")
            expect(self.footer is None or kind == END_OF_STREAM, "a frame behind the footer")
            if kind == END_OF_STREAM:
                self.end(payload)
                expect(offset + 28 + length == len(data), "bytes behind the end")
                return
            self.take(kind, flags, payload, offset)
            self.digest += check
            self.counts[2] += 1
            offset += 28 + length

    def take(self, kind, flags, payload, offset):
        if kind & 0x80:
            if kind == INDEX_PAGE:
                self.take_page(payload, offset)
            elif kind == INDEX_FOOTER:
                self.take_footer(payload, offset)
            elif kind == PADDING:
                expect(not any(payload), "padding that is not zero")
            return
        expect(flags & 0x0F & ~(WHOLE if kind == DATA else 0) == 0, "an unknown flag")
        if kind == FAILURE:
            raise Unsound(f"the sender {failure(payload)}")
        if kind == OFFER:
            expect(self.item is None, "an offer within an item")
            self.item, self.turn, self.chunks = offer(payload), 0, None
            self.page[0].append((offset, len(self.page[1])))
            return
        expect(self.item is not None, "a frame outside of an item")
        offered = self.item["representations"]
        if kind == DATA:
            expect(self.turn < len(offered), "more representations than were offered")
            expect(payload or flags & WHOLE, "an empty chunk")
            expect(not (flags & WHOLE and self.chunks), "a whole representation within another")
            if self.chunks is None:
                self.chunks, self.start = [], offset
            self.chunks.append(payload)
            self.counts[3] += len(payload)
            if flags & WHOLE:
                self.close()
        elif kind == END_OF_REPRESENTATION:
            expect(self.chunks, "the end of nothing")
            count = leading(payload, "<Q", "the end of a representation is cut")
            expect(count == sum(map(len, self.chunks)), "another number of bytes")
            self.close()
        elif kind == FAILURE_OF_REPRESENTATION:
            expect(self.turn < len(offered), "more representations than were offered")
            self.chunks, self.start = None, offset
            self.close(failure(payload))
        elif kind == END_OF_ITEM:
            expect(self.chunks is None and self.turn == len(offered), "an item that is not complete")
            count = leading(payload, "<I", "the end of an item is cut")
            expect(count == len(offered), "another number of representations")
            self.items.append(self.item)
            self.item = None
            self.counts[0] += 1
        else:
            raise Unsound(f"an unknown frame {kind}")

    def close(self, reason=None):
        offered = self.item["representations"]
        current = offered[self.turn]
        if reason:
            current["failure"] = reason
            self.page[1].append((self.start, (1 << 64) - 1))
        else:
            content = b"".join(self.chunks)
            expect(current.get("promised", len(content)) == len(content), "another size than was promised")
            current.update(size=len(content), crc32=zlib.crc32(content))
            self.page[1].append((self.start, len(content)))
        self.chunks = None
        first = self.page[0][-1][1]
        self.turn += 1
        self.counts[1] += 1
        while self.turn < len(offered) and "alias" in offered[self.turn]:
            original = offered[offered[self.turn]["alias"]]
            for key in ("size", "crc32", "failure"):
                if key in original:
                    offered[self.turn][key] = original[key]
            self.page[1].append(self.page[1][first + offered[self.turn]["alias"]])
            self.turn += 1
            self.counts[1] += 1

    def take_page(self, payload, offset):
        items, representations = self.page
        expected = struct.pack("<II", len(items), len(representations))
        expected += b"".join(struct.pack("<QII", at, first, 0) for at, first in items)
        expected += b"".join(struct.pack("<QQ", at, size) for at, size in representations)
        expect(payload == expected, "an index page that is not that of its items")
        self.pages.append((offset, self.counts[0] - len(items)))
        self.page = ([], [])

    def take_footer(self, payload, offset):
        expected = struct.pack("<QII", self.counts[0], len(self.pages), 0)
        expected += b"".join(struct.pack("<QQ", at, before) for at, before in self.pages)
        expected += struct.pack("<Q", offset)
        expect(payload == expected and not self.page[0], "an index footer that is not that of its pages")
        self.footer = offset

    def end(self, payload):
        expect(self.item is None, "the end within an item")
        expect(len(payload) == 36, "an end of another length")
        expect(list(struct.unpack_from("<4Q", payload)) == self.counts, f"other counts than {self.counts}")
        expect(struct.unpack_from("<I", payload, 32)[0] == crc32c(self.digest + payload[:32]), "the digest")


def main():
    if len(sys.argv) != 2:
        print("usage: drop_reader.py FILE|-", file=sys.stderr)
        sys.exit(64)
    path = sys.argv[1]
    try:
        with open(0 if path == "-" else path, "rb") as file:
            data = file.read()
    except OSError as problem:
        print(f"drop_reader: {path}: {problem.strerror}", file=sys.stderr)
        sys.exit(66)
    reader = Reader(data)
    try:
        reader.read()
    except (Unsound, struct.error, UnicodeDecodeError) as problem:
        sys.exit(f"drop_reader: {path}: {problem}")
    json.dump({"items": reader.items, "hasIndex": reader.footer is not None}, sys.stdout, sort_keys=True)
    print()


if __name__ == "__main__":
    main()
