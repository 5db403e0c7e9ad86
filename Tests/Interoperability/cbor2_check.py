"""Decodes with cbor2 the files that CBORInteroperabilityTests wrote to a directory, and writes files for it to decode.

Usage: cbor2_check.py DIRECTORY HEROES_JSON BOARD_JSON
"""
import importlib.metadata
import json
import math
import sys
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from uuid import UUID

import cbor2

# The same values as in CBORInteroperabilityTests.Edges.
EDGES = {
    "integers": [n for bits in (3, 7, 8, 15, 16, 31, 32, 63, 64, 126)
                 for n in (2**bits - 1, 2**bits, -(2**bits), -(2**bits) - 1)] + [0, 1, 23, 24, -1, -24, -25],
    "large": [2**64 - 1, 2**64, 2**128 - 1],
    "doubles": [0.0, -0.0, 1.5, 65504.0, 65505.0, 2.0**-24, 2.0**-25, 1.1, -4.1, 1e300, 5e-324, math.inf, -math.inf],
    "notANumber": math.nan,
    "floats": [3.25, 3.4028234663852886e38, 1.401298464324817e-45],
    "booleans": [True, False],
    "nothing": [None, 1, None],
    "bytes": [b"", bytes(range(256))],
    "texts": ["", "a", "Atalanta", "\u0645\u0631\u062d\u0628\u0627", "\u65e5\u672c\u8a9e",
              "\U0001f9b8\u200d\u2640\ufe0f", "e\u0301\u00e9", "\x00\n\"\\", "x" * 70000],
    "dates": [datetime(1970, 1, 1, tzinfo=timezone.utc), datetime(2013, 3, 21, 20, 4, 0, 500000, tzinfo=timezone.utc),
              datetime(1969, 12, 31, 23, 59, 59, tzinfo=timezone.utc), datetime(9999, 12, 31, tzinfo=timezone.utc)],
    "uuid": UUID("01234567-89ab-cdef-0123-456789abcdef"),
    "decimals": [Decimal("0"), Decimal("273.15"), Decimal("-0.001"), Decimal("1E+20"),
                 Decimal("3402823669209384634633746074317682114.55"), Decimal(-(2**128 - 1))],
    "url": cbor2.CBORTag(32, "http://www.example.com/a?b#c"),
    "empty": {"list": [], "map": {}, "nested": [[], [[]], {}]},
    "numbered": {0: "zero", -1: "minus", 70000: "many"},
    "many": {f"key {n}": n for n in range(300)},
}


def same(one, other):
    """Returns whether two values have the same type and value. NaN equals NaN, and 0.0 differs from -0.0."""
    if isinstance(one, cbor2.CBORTag) and isinstance(other, cbor2.CBORTag):
        return one.tag == other.tag and same(one.value, other.value)
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, float) and isinstance(other, float):
        same_sign = math.copysign(1, one) == math.copysign(1, other)
        return math.isnan(one) and math.isnan(other) or one == other and same_sign
    if isinstance(one, datetime) and isinstance(other, datetime):
        return abs(one - other) < timedelta(microseconds=1)
    return type(one) is type(other) and one == other


def expect(name, one, other):
    if not same(one, other):
        sys.exit(f"{name} differs: {str(one)[:300]} is not {str(other)[:300]}")


def main():
    directory = Path(sys.argv[1])
    print("cbor2", importlib.metadata.version("cbor2"))
    for name in ("edges", "edges-text-dates", "edges-deterministic"):
        read = cbor2.loads((directory / f"{name}.cbor").read_bytes())
        for field, value in EDGES.items():
            expect(f"{name}.{field}", read.get(field), value)
        expect(name, sorted(read), sorted(EDGES))
    for name, source in (("heroes", sys.argv[2]), ("board", sys.argv[3])):
        value = json.loads(Path(source).read_text(encoding="utf-8"))
        written = (directory / f"{name}.cbor").read_bytes()
        expect(name, cbor2.loads(written), value)
        # For text keys, the canonical order of RFC 7049 is the same as the deterministic order.
        if cbor2.dumps(value, canonical=True) != (directory / f"{name}-deterministic.cbor").read_bytes():
            sys.exit(f"{name} has other bytes in deterministic order")
        (directory / f"{name}-theirs.cbor").write_bytes(cbor2.dumps(value))
    (directory / "edges-theirs.cbor").write_bytes(cbor2.dumps(EDGES))
    (directory / "edges-theirs-timestamps.cbor").write_bytes(cbor2.dumps(EDGES, datetime_as_timestamp=True))
    (directory / "edges-theirs-canonical.cbor").write_bytes(cbor2.dumps(EDGES, canonical=True))


main()
