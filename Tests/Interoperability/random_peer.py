#!/usr/bin/env python3
# Part of DragPipe.
# SPDX-License-Identifier: Apache-2.0
"""A source or a destination of a session that makes random steps, right and wrong ones, with right checksums.

    random_peer.py check DIRECTORY-OF-THE-TOOL [COUNT]    COUNT sessions of each role; prints each broken promise
    random_peer.py source|destination SEED LOG            a peer on standard input and output

A receiver must keep nothing or complete files, and leave no temporary file. A sender must remove only files that the
peer has received completely and reported as moved, and send only bytes that the peer allows. Neither may crash or hang.
"""
import concurrent.futures
import json
import os
import pathlib
import random
import select
import struct
import subprocess
import sys
import tempfile

from drop_format import *


def content(seed, item):
    rng = random.Random(f"{seed} {item}")
    return rng.randbytes(rng.choice([0, 1, 100, 5000, 70_000]))


def field(tag, value):
    return struct.pack("<BI", tag, len(value)) + value


class Peer:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.sequence = 0
        start = b"\xd7DRP\r\n\x1a\n" + bytes([1, 0, 1, 1])
        check = struct.pack("<I", crc32c(start))
        self.digest = crc32c(check)
        self.buffer = b""
        self.has_preamble = False
        self.credits = {}
        self.write(start + check)
        features = field(0x82, struct.pack("<Q", 6)) + field(0x83, struct.pack("<I", 4))
        self.send(HELLO, 0, field(1, bytes([1, 1])) + features)

    def report(self):
        """Logs the items that may have been delivered; called before each finish."""

    def write(self, data):
        try:
            while data:
                data = data[os.write(1, data):]
        except OSError:
            sys.exit(0)

    def send(self, kind, number, payload=b"", flags=0):
        head = struct.pack("<BBHIQI", kind, flags, 0, number, len(payload), self.sequence)
        check = struct.pack("<I", crc32c(payload, crc32c(head)))
        self.write(head + struct.pack("<I", crc32c(head)) + payload + check)
        self.sequence += 1
        self.digest = crc32c(check, self.digest)

    def receive(self, seconds):
        """Returns the next frames, or nothing after some time; ends with the input."""
        if not select.select([0], [], [], seconds)[0]:
            return []
        data = os.read(0, 1 << 16)
        if not data:
            sys.exit(0)
        self.buffer += data
        if not self.has_preamble:
            if len(self.buffer) < 16:
                return []
            self.buffer, self.has_preamble = self.buffer[16:], True
        found = []
        while len(self.buffer) >= 28:
            kind, flags, _, number, length, _ = struct.unpack_from("<BBHIQI", self.buffer)
            if len(self.buffer) < 28 + length:
                break
            found.append((kind, flags, number, self.buffer[24 : 24 + length]))
            self.buffer = self.buffer[28 + length :]
        return found

    def allow(self, number, count):
        self.credits[number] = self.credits.get(number, 0) + count
        self.send(CREDIT, number, struct.pack("<Q", count))

    def failure(self):
        return field(1, bytes([self.rng.choice([1, 2, 3])]))

    def end_content(self, number, size):
        self.send(END_OF_REPRESENTATION, number, struct.pack("<Q", size) + field(1, struct.pack("<I", self.digest)))

    def misbehave(self, numbers):
        """Makes a step that an honest peer never makes, or makes rarely; may end the process."""
        number = self.rng.choice(numbers + [1, 2, 9])
        step = self.rng.randrange(12)
        if step == 0:
            sys.exit(0)
        elif step == 1:
            self.send(BYE, 0, field(1, struct.pack("<I", self.digest)))
            sys.exit(0)
        elif step == 2:
            self.send(FAILURE, 0, self.failure())
            sys.exit(0)
        elif step == 3:
            self.write(self.rng.randbytes(self.rng.randrange(1, 60)))
        elif step == 4:
            self.send(ZEROS, number, struct.pack("<Q", self.rng.choice([1, 4096, 1 << 40, (1 << 64) - 1])))
        elif step == 5:
            self.report()
            self.send(FINISH, number, bytes([self.rng.choice([0, 1, 2])]) + field(1, struct.pack("<II", 0, 1)))
        elif step == 6:
            self.send(WITHDRAWAL, number, self.failure())
        elif step == 7:
            self.send(FAILURE_OF_REPRESENTATION, number, self.failure())
        elif step == 8:
            self.send(ACKNOWLEDGEMENT, number, b"\x01")
        elif step == 9:
            self.send(CANCELLATION, number, self.failure())
        elif step == 10:
            self.send(DATA, number, self.rng.randbytes(20), self.rng.choice([0, WHOLE]))
        else:
            self.allow(number, self.rng.choice([0, 1 << 20, (1 << 64) - 1]))


def source(seed, log):
    peer = Peer(seed)
    rng = peer.rng
    count = rng.randrange(1, 5)
    for item in range(count):
        size = field(2, struct.pack("<Q", len(content(seed, item)))) if rng.random() < 0.7 else b""
        peer.send(OFFER, 1, field(1, f"item{item}".encode()) + field(2, field(1, b"public.data") + size))
    peer.send(END_OF_OFFERS, 1, struct.pack("<I", count) + field(1, b"\x03"))
    badness = rng.choice([0, 0.03, 0.2])
    active = {}
    while True:
        for kind, flags, number, payload in peer.receive(0.01 if active else 0.5):
            if kind == REQUEST:
                generation, item, _, _, credit = struct.unpack_from("<4IQ", payload)
                active[number] = [content(seed, item), 0, credit]
            elif kind == CREDIT and number in active:
                active[number][2] += struct.unpack_from("<Q", payload)[0]
            elif kind == CANCELLATION:
                active.pop(number, None)
            elif kind == FINISH:
                peer.send(ACKNOWLEDGEMENT, number, b"\x01")
            elif kind in (BYE, FAILURE):
                sys.exit(0)
        if rng.random() < badness:
            peer.misbehave(list(active))
        if not active:
            continue
        number = rng.choice(list(active))
        data, done, credit = active[number]
        step = rng.random()
        if done == 0 and len(data) <= credit and step < 0.3:
            peer.send(DATA, number, data, WHOLE)
            del active[number]
        elif done < len(data):
            part = data[done : done + min(credit, rng.randrange(1, 30_000))]
            if part:
                peer.send(DATA, number, part)
                active[number][1] += len(part)
                active[number][2] -= len(part)
        elif done > 0:
            peer.end_content(number, done)
            del active[number]
        else:
            peer.send(DATA, number, b"", WHOLE)
            del active[number]


def destination(seed, log):
    peer = Peer(seed)
    rng = peer.rng
    requests, complete, offered, number = {}, set(), 0, 0
    badness = rng.choice([0, 0.03, 0.2])

    def report():
        # The last frame of a request in progress may be on its way.
        delivered = complete | {item for item, is_complete in requests.values() if is_complete}
        with open(log, "w") as file:
            json.dump(sorted(delivered), file)

    peer.report = report
    while True:
        for kind, flags, answered, payload in peer.receive(0.01 if requests else 0.5):
            if kind == END_OF_OFFERS:
                offered = struct.unpack_from("<I", payload)[0]
            elif kind in (DATA, END_OF_REPRESENTATION, FAILURE_OF_REPRESENTATION) and answered in requests:
                item, is_complete = requests[answered]
                if kind == DATA:
                    peer.credits[answered] -= len(payload)
                    if peer.credits[answered] < 0:
                        pathlib.Path(log + ".credit").touch()
                    if not flags & WHOLE:
                        peer.allow(answered, len(payload) + rng.randrange(2000))
                        continue
                del requests[answered]
                if is_complete and kind != FAILURE_OF_REPRESENTATION:
                    complete.add(item)
            elif kind in (BYE, FAILURE):
                sys.exit(0)
        if not offered:
            continue
        if rng.random() < badness:
            peer.misbehave(list(requests))
        step = rng.random()
        if step < 0.5 and len(requests) < 4:
            number += 1
            part = rng.random() < 0.3
            first = rng.choice([0, 1, 50])
            span = field(1, struct.pack("<QQ", first, rng.choice([1, 50, 1 << 40]))) if part else b""
            item = rng.randrange(offered)
            # A range counts as complete only if it starts at the first byte and reaches beyond the last.
            length = struct.unpack("<Q", span[-8:])[0] if part else 0
            is_complete = not part or first == 0 and length > len(content(seed, item))
            requests[number] = item, is_complete
            peer.credits[number] = rng.choice([100, 5000, 1 << 20])
            peer.send(REQUEST, number, struct.pack("<4IQ", 1, item, 0, 0, peer.credits[number]) + span)
        elif step < 0.6 and not requests:
            lies = rng.random() < 0.2
            kept = [item for item in range(offered) if rng.random() < 0.7 and (lies or item in complete)]
            action = rng.choice([1, 2, 2])
            runs = b"".join(struct.pack("<II", item, 1) for item in kept)
            report()
            peer.send(FINISH, 1, bytes([action]) + field(1, runs))


def check_source(tool, seed, directory):
    folder = directory / "in"
    code, errors = run([tool, "receive", "--timeout", "1", "--from", command("source", seed, directory), f"{folder}/"])
    found = {path.name: path.read_bytes() for path in folder.iterdir()} if folder.exists() else {}
    for name, data in found.items():
        if not name.startswith("item") or data != content(seed, int(name[4:])):
            return f"{name} is not what was sent, after {code}: {errors}"
    if code == "a hang" or code < 0:
        return f"{code}: {errors}"
    if found and code not in (0, 2) and "did not confirm" not in errors:
        return f"{sorted(found)} are kept after {code}: {errors}"
    return None


def check_destination(tool, seed, directory):
    names = [f"item{item}" for item in range(random.Random(seed).randrange(1, 5))]
    for item, name in enumerate(names):
        (directory / name).write_bytes(content(seed, item))
    paths = [directory / name for name in names]
    peer = command("destination", seed, directory)
    code, errors = run([tool, "send", "--move", "--timeout", "1", "--to", peer] + paths)
    if code == "a hang" or code < 0:
        return f"{code}: {errors}"
    removed = {item for item, path in enumerate(paths) if not path.exists()}
    log = directory / "log"
    delivered = json.loads(log.read_text()) if log.exists() else []
    if not removed <= set(delivered):
        return f"{removed} were removed, but only {delivered} were delivered, after {code}: {errors}"
    if pathlib.Path(f"{log}.credit").exists():
        return "more bytes arrived than were allowed"
    for item, path in enumerate(paths):
        if path.exists() and path.read_bytes() != content(seed, item):
            return f"{path.name} was changed"
    return None


def command(role, seed, directory):
    return f"exec:exec python3 '{pathlib.Path(__file__).absolute()}' {role} {seed} '{directory / 'log'}'"


def run(arguments):
    """Returns the exit code, which is negative after a crash, and the messages."""
    try:
        ended = subprocess.run(
            arguments, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=60
        )
    except subprocess.TimeoutExpired:
        return "a hang", "60 seconds"
    return ended.returncode, ended.stderr.decode("utf-8", "replace")


def main():
    tool = pathlib.Path(sys.argv[2]).absolute() / "dragpipe"
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 1000
    faults = []
    with concurrent.futures.ThreadPoolExecutor(4) as workers:
        for name, check in (("source", check_source), ("destination", check_destination)):
            found = list(workers.map(lambda seed: attempt(check, tool, seed), range(count)))
            faults += [f"{name} {seed}: {fault}" for seed, fault in enumerate(found) if fault]
            print(f"random {name}s: {count} sessions")
    print("\n".join(faults), end="\n" if faults else "")
    sys.exit(1 if faults else 0)


def attempt(check, tool, seed):
    """Returns the promise that a session breaks, or nothing."""
    with tempfile.TemporaryDirectory() as directory:
        fault = check(tool, seed, pathlib.Path(directory))
        left = [path.name for path in pathlib.Path(directory).rglob(".dragpipe-*")]
    return fault or (f"{left} are left" if left else None)


if __name__ == "__main__":
    roles = {"source": source, "destination": destination}
    if sys.argv[1] == "check":
        main()
    else:
        roles[sys.argv[1]](int(sys.argv[2]), sys.argv[3])
