# Part of DragPipe.
# SPDX-License-Identifier: Apache-2.0
"""One direction of a session, implemented from DropStreamFormat.md alone."""
import struct
import zlib

from drop_format import *


class Session:
    def __init__(self, data):
        self.data = data
        self.lines = []
        self.has_greeted = False
        self.has_ended = False
        self.generation = 0  # the number of the last offer that began
        self.pending = None  # the number of items of that offer, until all have arrived
        self.request = 0
        self.contents = {}  # size and CRC-32 of the responses that have not ended
        self.answered = set()
        self.digest = 0

    @staticmethod
    def is_there(data):
        """Returns whether this is a session rather than a stream: its first frame that is not ancillary is a hello."""
        return next((frame.kind for frame in frames(data) if not frame.kind & 0x80), None) == HELLO

    def read(self):
        """Returns a description of each message."""
        self.digest = crc32c(preamble(self.data))
        for frame in frames(self.data):
            expect(not self.has_ended, "a frame behind the end")
            if not frame.kind & 0x80:
                self.take(frame)
            self.digest = crc32c(frame.check, self.digest)
        if not self.has_ended:
            self.lines.append({"message": "end without a bye"})
        return self.lines

    def take(self, frame):
        names = {
            OFFER: "offer", DATA: "data", END_OF_REPRESENTATION: "end of representation", FAILURE: "failure",
            FAILURE_OF_REPRESENTATION: "failure of a representation", HELLO: "hello", END_OF_OFFERS: "end of offers",
            WITHDRAWAL: "withdrawal", REQUEST: "request", CREDIT: "credit", PREPARATION: "preparation",
            CANCELLATION: "cancellation", FINISH: "finish", ACKNOWLEDGEMENT: "acknowledgement", BYE: "bye",
            DESCRIPTOR: "descriptor",
        }
        kind, number, payload = frame.kind, frame.number, frame.payload
        expect(kind in names, f"an unknown frame {kind}")
        expect(kind == FAILURE or self.has_greeted != (kind == HELLO), "a hello that is not first, or none")
        line = {"message": names[kind]}
        if kind in (HELLO, BYE, FAILURE):
            expect(number == 0, "a number in a frame of the session")
            line.update(self.of_session(kind, payload))
        else:
            expect(number != 0, "a frame without a number")
            if kind in (OFFER, END_OF_OFFERS, WITHDRAWAL, FINISH, ACKNOWLEDGEMENT):
                line["generation"] = number
                line.update(self.of_generation(kind, number, payload))
            else:
                line["request"] = number
                if kind in (REQUEST, CREDIT, CANCELLATION):
                    line.update(self.of_destination(kind, number, payload))
                elif number in self.answered:
                    line["discarded"] = True
                else:
                    line.update(self.answer(kind, number, payload, bool(frame.flags & WHOLE)))
        self.lines.append(line)

    def of_session(self, kind, payload):
        self.has_ended = kind != HELLO
        if kind == FAILURE:
            return {"failure": failure(payload)}
        if kind == BYE:
            self.check_digest(payload)
            return {}
        self.has_greeted = True
        found = dict(fields(payload, {1, 0x82, 0x83}))
        expect(1 in found, "a hello without versions")
        lowest, highest = struct.unpack("<BB", found[1])
        expect(lowest <= 1 <= highest, "another version of sessions")
        (features,) = struct.unpack("<Q", found.get(0x82, bytes(8)))
        (requests,) = struct.unpack("<I", found.get(0x83, struct.pack("<I", 32)))
        return {"versions": [lowest, highest], "features": features, "requests": max(1, requests)}

    def of_generation(self, kind, number, payload):
        if kind in (OFFER, END_OF_OFFERS):
            expect(
                number > self.generation if self.pending is None else number == self.generation,
                "a generation out of its turn",
            )
            self.generation = number
        if kind == OFFER:
            self.pending = (self.pending or 0) + 1
            return offer(payload)
        if kind == END_OF_OFFERS:
            count = leading(payload, "<I", "the end of offers is cut", {1})
            expect(count == (self.pending or 0), "another number of items")
            self.pending = None
            found = dict(fields(payload[4:], {1}))
            expect(1 in found, "an offer that allows nothing")
            return {"items": count, "actions": struct.unpack("<B", found[1])[0]}
        if kind == WITHDRAWAL:
            if number == self.generation:
                self.pending = None
            return {"failure": failure(payload)}
        if kind == ACKNOWLEDGEMENT:
            return {"isOpen": leading(payload, "<B", "an acknowledgement is cut") == 1}
        action = leading(payload, "<B", "a finish is cut", {1, 2})
        found = dict(fields(payload[1:], {1, 2}))
        runs = list(struct.iter_unpack("<II", found.get(1, b"")))
        expect(all(count > 0 and first + count < 1 << 32 for first, count in runs), "items that cannot be")
        expect(all(a + n <= b for (a, n), (b, _) in zip(runs, runs[1:])), "items that are not in order")
        kept = [index for first, count in runs for index in range(first, first + count)]
        expect(action in (0, 1, 2, 4), "an action that nobody knows")
        expect(action or not kept, "items that were kept by no action")
        return {"action": action, "kept": kept, "refusal": failure(found[2]) if 2 in found else None}

    def of_destination(self, kind, number, payload):
        if kind == CANCELLATION:
            return {"failure": failure(payload)}
        if kind == CREDIT:
            return {"bytes": leading(payload, "<Q", "a credit is cut")}
        expect(number > self.request, "a request out of its turn")
        self.request = number
        expect(len(payload) >= 24, "a request is cut")
        generation, item, representation, accepts, credit = struct.unpack_from("<4IQ", payload)
        found = dict(fields(payload[24:], {1, 2}))
        part = list(struct.unpack("<QQ", found[1])) if 1 in found else None
        expect(part is None or sum(part) < 1 << 63, "a range beyond the limit of 2^63-1 bytes")
        return {
            "generation": generation, "item": item, "representation": representation, "accepts": accepts,
            "credit": credit, "range": part,
        }

    def answer(self, kind, number, payload, is_whole):
        if kind == PREPARATION:
            expect(len(payload) >= 16, "a preparation is cut")
            completed, total = struct.unpack_from("<QQ", payload)
            fields(payload[16:], ())
            return {"completed": completed, "total": None if total == (1 << 64) - 1 else total}
        size, crc = self.contents.get(number, (0, 0))
        if kind == DATA:
            expect(payload or is_whole, "an empty chunk")
            expect(not (is_whole and size), "a whole representation behind a part of it")
            content = (size + len(payload), zlib.crc32(payload, crc))
            if not is_whole:
                self.contents[number] = content
                return {"isWhole": False, "size": len(payload)}
            size, crc = content
        self.contents.pop(number, None)
        self.answered.add(number)
        if kind == DATA:
            return {"isWhole": True, "size": size, "crc32": crc}
        if kind == END_OF_REPRESENTATION:
            expect(leading(payload, "<Q", "the end of a representation is cut", {1}) == size, "another number of bytes")
            self.check_digest(payload[8:])
            return {"size": size, "crc32": crc}
        if kind == FAILURE_OF_REPRESENTATION:
            return {"failure": failure(payload)}
        expect(size == 0, "a descriptor behind bytes")
        expect(len(payload) >= 9, "a descriptor is cut")
        what, count = struct.unpack_from("<BQ", payload)
        found = dict(fields(payload[9:], {1}))
        expect(what in (1, 2, 3) and (what != 1 or 1 in found), "a descriptor of nobody knows what")
        check = struct.unpack("<I", found[1])[0] if 1 in found else None
        return {"kind": what, "size": count, "check": check}

    def check_digest(self, payload):
        found = dict(fields(payload, {1}))
        expect(1 in found and struct.unpack("<I", found[1])[0] == self.digest, "the digest")
