# Part of DragPipe.
# SPDX-License-Identifier: Apache-2.0
"""The parts of the format that streams, files and sessions share, implemented from DropStreamFormat.md alone."""
import struct
from typing import NamedTuple

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


OFFER, DATA, END_OF_REPRESENTATION, END_OF_ITEM, END_OF_STREAM, FAILURE, FAILURE_OF_REPRESENTATION, ZEROS = range(1, 9)
INDEX_PAGE, INDEX_FOOTER, PADDING, INDEX_NAMES = 0x81, 0x82, 0x83, 0x84
WHOLE = 1
HELLO, END_OF_OFFERS, WITHDRAWAL, REQUEST, CREDIT, PREPARATION = range(0x10, 0x16)
CANCELLATION, FINISH, ACKNOWLEDGEMENT, BYE, DESCRIPTOR = range(0x16, 0x1B)


class Frame(NamedTuple):
    kind: int
    flags: int
    number: int
    payload: bytes
    check: bytes  # the bytes from which digests are computed
    start: int
    end: int


def preamble(data):
    """Returns the checksum of the preamble, with which a digest begins."""
    expect(len(data) > 0, "no drop stream: nothing")
    expect(data[:8] == b"\xd7DRP\r\n\x1a\n"[: len(data)], "no drop stream")
    expect(len(data) >= 16, "cut within the preamble")
    expect(struct.unpack_from("<I", data, 12)[0] == crc32c(data[:12]), "the check of the preamble")
    expect(data[8] == 1 and data[10] == 1 and data[11] == 1, "another version or check")
    return data[12:16]


def frames(data):
    """Yields the verified frames after the preamble, up to the end of the data."""
    offset, number = 16, 0
    while offset < len(data):
        expect(len(data) - offset >= 28, "cut")
        head = data[offset : offset + 20]
        kind, flags, zero, request, length, sequence = struct.unpack("<BBHIQI", head)
        expect(struct.unpack_from("<I", data, offset + 20)[0] == crc32c(head), "the check of a header")
        expect(zero == 0, "reserved bits")
        expect(sequence == number % (1 << 32), "a frame out of sequence")
        expect(length <= len(data) - offset - 28, "cut within a frame")
        payload = data[offset + 24 : offset + 24 + length]
        check = data[offset + 24 + length : offset + 28 + length]
        expect(struct.unpack("<I", check)[0] == crc32c(payload, crc32c(head)), "the check of a frame")
        if not kind & 0x80:
            expect(flags & 0x0F & ~(WHOLE if kind == DATA else 0) == 0, "an unknown flag")
        yield Frame(kind, flags, request, payload, check, offset, offset + 28 + length)
        number += 1
        offset += 28 + length


def fields(payload, once, often=()):
    """Returns the fields of a payload as (tag, value). Tags in `once` must not repeat; unknown fields are skipped or refused."""
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
            kind = {2: "cancelled", 3: "withdrawn"}.get(value[0], "failed")
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
    for tag, value in fields(payload, {1, 2, 3, 0x84, 0x85, 0x86}, {0x83}):
        if tag == 1:
            found["type"] = value.decode("utf-8")
        elif tag == 2:
            (found["promised"],) = struct.unpack("<Q", value)
        elif tag == 3:
            (found["alias"],) = struct.unpack("<I", value)
            expect(found["alias"] < len(earlier) and "alias" not in earlier[found["alias"]], "an alias of nothing")
        elif tag == 0x83:
            found.setdefault("supertypes", []).append(value.decode("utf-8"))
        elif tag == 0x84:
            (found["estimate"],) = struct.unpack("<Q", value)
        elif tag == 0x86:
            (form,) = struct.unpack("<B", value)
            found["form"] = {1: "file", 2: "string", 3: "url", 4: "property list"}.get(form, "bytes")
        else:
            found["inPlace"] = True
    expect("type" in found, "a representation without a type")
    if "alias" in found and "promised" in found:
        expect(found["promised"] == earlier[found["alias"]].get("promised"), "an alias with a size of its own")
    return found


def leading(payload, form, sentence, known=()):
    """Returns the number at the start of a payload. Fields may follow: `known` fields, and fields of later versions."""
    width = struct.calcsize(form)
    expect(len(payload) >= width, sentence)
    fields(payload[width:], known)
    return struct.unpack_from(form, payload)[0]
