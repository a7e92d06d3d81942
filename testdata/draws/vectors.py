#!/usr/bin/env python3
"""Keyed draws as docs/draws.md specifies them, written from that text alone.

vectors.py check   recomputes vectors.json and says what differs
vectors.py write   writes vectors.json anew

Only the standard library is used; AES is spelled out because it has none.
"""
import hashlib
import hmac
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
FILE = os.path.join(HERE, "vectors.json")


def make_sbox():
    box, p, q = [0] * 256, 1, 1
    while True:
        p ^= (p << 1) & 255 ^ (0x1B if p & 128 else 0)
        q ^= q << 1
        q ^= q << 2
        q ^= q << 4
        q &= 255
        if q & 128:
            q ^= 0x09
        rot = lambda v, n: (v << n | v >> (8 - n)) & 255
        box[p] = q ^ rot(q, 1) ^ rot(q, 2) ^ rot(q, 3) ^ rot(q, 4) ^ 0x63
        if p == 1:
            box[0] = 0x63
            return box


SBOX = make_sbox()


def twice(b):
    return (b << 1) & 255 ^ (0x1B if b & 128 else 0)


def aes128(key, block):
    w = [list(key[i:i + 4]) for i in range(0, 16, 4)]
    rcon = 1
    for i in range(4, 44):
        t = list(w[i - 1])
        if i % 4 == 0:
            t = [SBOX[v] for v in t[1:] + t[:1]]
            t[0] ^= rcon
            rcon = twice(rcon)
        w.append([a ^ b for a, b in zip(w[i - 4], t)])
    keys = [sum(w[4 * r:4 * r + 4], []) for r in range(11)]
    s = [a ^ b for a, b in zip(block, keys[0])]
    for r in range(1, 11):
        s = [SBOX[s[(i + 4 * (i % 4)) % 16]] for i in range(16)]
        if r < 10:
            t = []
            for c in range(0, 16, 4):
                a = s[c:c + 4]
                for i in range(4):
                    t.append(twice(a[i]) ^ twice(a[(i + 1) % 4]) ^ a[(i + 1) % 4] ^ a[(i + 2) % 4] ^ a[(i + 3) % 4])
            s = t
        s = [a ^ b for a, b in zip(s, keys[r])]
    return bytes(s)


def cmac(key, message):
    """RFC 4493."""
    def double(b):
        v = int.from_bytes(b, "big") << 1
        if v >> 128:
            v = v & (2 ** 128 - 1) ^ 0x87
        return v.to_bytes(16, "big")
    k1 = double(aes128(key, bytes(16)))
    k2 = double(k1)
    n = max(1, (len(message) + 15) // 16)
    last = message[16 * (n - 1):]
    if len(last) == 16:
        last = bytes(a ^ b for a, b in zip(last, k1))
    else:
        last = last + b"\x80" + bytes(15 - len(last))
        last = bytes(a ^ b for a, b in zip(last, k2))
    x = bytes(16)
    for i in range(n - 1):
        x = aes128(key, bytes(a ^ b for a, b in zip(x, message[16 * i:16 * i + 16])))
    return aes128(key, bytes(a ^ b for a, b in zip(x, last)))


def derive(key, *parts):
    m = b"".join(len(p).to_bytes(8, "big") + p for p in parts)
    return hmac.new(key, m, hashlib.sha256).digest()[:16]


def encode(parts):
    b = b""
    for p in parts:
        n = len(p)
        b += (bytes([n]) if n < 255 else b"\xff" + n.to_bytes(4, "big")) + p
    return b


def draw(key, unit, design, column, row, parts, letter):
    """Output and number of refused words. row is a list of (output, weight)."""
    run = derive(key, b"tacet/v1 memoised draw", unit.encode(), design, column.encode())
    total = sum(w for _, w in row)
    refused = 0
    while True:
        message = refused.to_bytes(2, "big") + letter.to_bytes(2, "big") + encode(parts)
        product = int.from_bytes(cmac(run, message)[:8], "big") * total
        if product % 2 ** 64 >= 2 ** 64 % total:
            break
        refused += 1
    place = product // 2 ** 64
    for y, w in sorted(row):
        if place < w:
            return y, refused
        place -= w


def stream(key, parts, group, mechanism, start):
    """The words of a stream from one on, one after the other."""
    m = b"".join(len(p).to_bytes(8, "big") + p for p in parts)
    m += group.to_bytes(8, "big") + mechanism.to_bytes(8, "big")
    seed = hmac.new(key, m, hashlib.sha256).digest()
    i = start
    while True:
        counter = (int.from_bytes(seed[16:], "big") + i // 8) % 2 ** 128
        block = aes128(seed[:16], counter.to_bytes(16, "big"))
        yield block[i % 8 * 2] + 256 * block[i % 8 * 2 + 1]
        i += 1


def words(key, v):
    """Eight words of the stream of a row group, from the one at v["from"] on."""
    parts = [b"tacet/v1 rows", v["run"].encode(), bytes.fromhex(v["plan"]), v["column"].encode(), v["path"].encode(),
             bytes.fromhex(v["content"])]
    words = stream(key, parts, v["group"], v["mechanism"], v["from"])
    return [next(words) for _ in range(8)]


def name(key, unit, population, column, parts):
    return cmac(derive(key, b"tacet/v1 record name", unit.encode(), population.encode(), column.encode()),
                encode(parts))


def recompute(f):
    key, design = bytes.fromhex(f["key"]), bytes.fromhex(f["design"])
    for v in f["draws"]:
        row = [(int(y), int(w)) for y, w in f["rows"][v["letter"]]]
        parts = [p.encode() for p in v["id"]]
        v["output"], v["refused"] = draw(key, v["unit"], design, f["column"], row, parts, v["letter"])
    for v in f["names"]:
        v["name"] = name(key, v["unit"], f["population"], f["column"], [p.encode() for p in v["id"]]).hex()
    for v in f["streams"]:
        v["words"] = words(key, v)
    return f


def inputs():
    big = (2 ** 64 // 5) + 1
    f = {
        "key": bytes(range(32)).hex(),
        "design": hashlib.sha256(b"a design").hexdigest(),
        "column": "diagnosis",
        "population": "patients of 2026",
        "rows": [
            [[0, "1"], [2, "1"], [5, "1"]],
            [[1, "3"], [2, "4"], [3, "9"]],
            [[4, "1"]],
            [[0, str(big // 2)], [1, "1"], [5, str(big - big // 2 - 1)]],
            [[y, str(2 ** (7 * y) + y)] for y in range(6)],
        ],
        "draws": [], "names": [], "streams": [],
    }
    ids = [["1"], ["12345678"], ["-7"], ["12345678901"], ["2026-01-31"], ["A", "17"], ["A1", "7"], ["", ""],
           ["\u00e9t\u00e9"], ["0f8fad5b-d9cb-469f-a165-70867728950e"], ["x" * 254], ["x" * 255], ["y" * 300, "z"]]
    for unit in ("record", "person"):
        for id in ids:
            for x in range(5):
                f["draws"].append({"unit": unit, "id": id, "letter": x})
            f["names"].append({"unit": unit, "id": id})
    for i in range(100, 160):
        f["draws"].append({"unit": "record", "id": [str(i)], "letter": 3})
    plan, content = hashlib.sha256(b"a plan").hexdigest(), hashlib.sha256(b"a file").hexdigest()
    first = {"run": "2026-11-21", "plan": plan, "column": "diagnosis", "path": "dt=2026-11-21/visits.parquet",
             "content": content, "group": 0, "mechanism": 0, "from": 0}
    for other in ({}, {"from": 2045}, {"from": 1 << 20}, {"group": 1}, {"group": 70000}, {"mechanism": 2}, {"run": ""},
                  {"run": "2026-11-22"}, {"plan": content}, {"column": "\u00e9t\u00e9"}, {"path": "visits.parquet"},
                  {"content": plan}, {"run": "a", "path": ""}, {"run": "", "path": "a"}):
        f["streams"].append({**first, **other})
    return f


def main():
    # RFC 4493, section 4: examples 1 to 4.
    k = bytes.fromhex("2b7e151628aed2a6abf7158809cf4f3c")
    m = bytes.fromhex("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
                      "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710")
    for n, tag in ((0, "bb1d6929e95937287fa37d129b756746"), (16, "070a16b46b4d4144f79bdd9dd04a287c"),
                   (40, "dfa66747de9ae63030ca32611497c827"), (64, "51f0bebf7e3b9d92fc49741779363cfe")):
        if cmac(k, m[:n]).hex() != tag:
            sys.exit("AES-CMAC differs from RFC 4493 at length %d" % n)
    if sys.argv[1:] == ["write"]:
        f = recompute(inputs())
        with open(FILE, "w") as out:
            lists = ["draws", "names", "streams", "rows"]
            out.write("{\n")
            for key, v in f.items():
                if key not in lists:
                    out.write("%s: %s,\n" % (json.dumps(key), json.dumps(v)))
            out.write(",\n".join('"%s": [\n%s\n]' % (key, ",\n".join(json.dumps(v) for v in f[key])) for key in lists))
            out.write("\n}\n")
    elif sys.argv[1:] == ["check"]:
        with open(FILE) as stored:
            text = stored.read()
        f = json.loads(text)
        if recompute(json.loads(text)) != f:
            sys.exit("vectors.json differs from what this script computes")
        print("%d draws, %d names and %d streams agree" % (
            len(f["draws"]), len(f["names"]), len(f["streams"])))
    else:
        sys.exit(__doc__)


main()
