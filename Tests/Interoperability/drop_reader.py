#!/usr/bin/env python3
# Part of DragPipe.
# SPDX-License-Identifier: Apache-2.0
"""Reads drop streams, files and sessions. It is written from DropStreamFormat.md alone, with the standard library only.

usage: drop_reader.py FILE|-         prints what is there as JSON; of one direction of a session, a line a message
exit 1 with a sentence where it is not sound, 64 where it is called in another way, 66 where there is nothing to read

For each item its name and representations: type, size of the content and its CRC-32 (that of zlib, which nothing in
the format computes), estimate, alias and supertypes where they are stated, failure where there is no content. Of a file
also whether its index is that of its items. Of a session what each message says, and of an answer that ends the size of
the content and its CRC-32; what only both directions together can tell is not looked for.
"""
import json
import struct
import sys
import zlib

sys.dont_write_bytecode = True
from drop_format import *  # noqa: E402
from drop_session import Session  # noqa: E402


class Reader:
    def __init__(self, data):
        self.data = data
        self.items = []
        self.item = None  # the current item
        self.turn = 0  # the index of the current representation
        self.chunks = None
        self.counts = [0, 0, 0, 0]  # items, representations, frames, bytes
        self.digest = b""
        self.page = ([], [])  # items and representations since the last page
        self.pages = []
        self.names = None  # the items by their names, once there is an index of them
        self.footer = None

    def read(self):
        self.digest = preamble(self.data)
        for frame in frames(self.data):
            expect(frame.number == 0, "a number in a stream")
            expect(self.footer is None or frame.kind == END_OF_STREAM, "a frame behind the footer")
            expect(self.names is None or self.footer or frame.kind == INDEX_FOOTER, "a frame behind the names")
            if frame.kind == END_OF_STREAM:
                self.end(frame.payload)
                expect(frame.end == len(self.data), "bytes behind the end")
                return
            self.take(frame.kind, frame.flags, frame.payload, frame.start)
            self.digest += frame.check
            self.counts[2] += 1
        raise Unsound("cut")

    def take(self, kind, flags, payload, offset):
        if kind & 0x80:
            if kind == INDEX_PAGE:
                self.take_page(payload, offset)
            elif kind == INDEX_NAMES:
                self.take_names(payload, offset)
            elif kind == INDEX_FOOTER:
                self.take_footer(payload, offset)
            elif kind == PADDING:
                expect(not any(payload), "padding that is not zero")
            return
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
        elif kind == ZEROS:
            expect(self.turn < len(offered), "more representations than were offered")
            count = leading(payload, "<Q", "a run of zeros is cut")
            expect(0 < count <= 1 << 30, "a run of zeros of another length than this reader takes")
            if self.chunks is None:
                self.chunks, self.start = [], offset
            self.chunks.append(bytes(count))
            self.counts[3] += count
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

    def take_names(self, payload, offset):
        named = [(item["name"], number) for number, item in enumerate(self.items) if item["name"] is not None]
        self.names = sorted((crc32c(name.encode("utf-8")), number) for name, number in named)
        expected = b"".join(struct.pack("<II", number, check) for check, number in self.names)
        expected += struct.pack("<Q", offset)
        expect(payload == expected and not self.page[0], "index names that are not those of its items")

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
    try:
        preamble(data)
        if Session.is_there(data):
            found = Session(data).read()
        else:
            reader = Reader(data)
            reader.read()
            found = [{"items": reader.items, "hasIndex": reader.footer is not None, "hasNames": reader.names is not None}]
    except (Unsound, struct.error, UnicodeDecodeError) as problem:
        sys.exit(f"drop_reader: {path}: {problem}")
    for line in found:
        print(json.dumps(line, sort_keys=True))


if __name__ == "__main__":
    main()
