#!/usr/bin/env python3
"""Recovers the coefficient tables of the approximate-math unit from its measured results.

    tools/fit_mufu.py FOLDER > src/num/mufu_tables.def

FOLDER holds the results of an H200 for every mantissa: mufu_sm90.bin and *.d32.gz (the mufu/ folder of the golden set;
the format is in numerics.md, section 8). Needs numpy.

The unit evaluates, in each segment, (c0 << s0) + bias + (c1 * x << s1) + (c2 * q << s2), where x is the offset in the
segment and q the square of x without the partial products below a fixed column. With the right column every one of the
results is met; the search below is exact integer arithmetic around a least-squares estimate, and a segment without a
solution is an error.
"""
import gzip
import struct
import sys

import numpy as np


def truncated_square(x, bits, cut):
    q = np.zeros_like(x)
    for i in range(bits):
        bit = x >> i & 1
        if 2 * i >= cut:
            q += bit << 2 * i
        for j in range(i):
            if i + j + 1 >= cut:
                q += (bit & x >> j & 1) << i + j + 1
    return q >> cut


def read_sections(folder):
    data = open(folder + "/mufu_sm90.bin", "rb").read()
    count, at, tables = struct.unpack_from("<I", data, 8)[0], 16, {}
    for _ in range(count):
        name = data[at:at + 8].rstrip(b"\0").decode()
        m, residuals, nbytes, _ = struct.unpack_from("<4I", data, at + 8)
        at += 24
        c = np.frombuffer(data, "<i8", 3 << m, at).reshape(-1, 3)
        stream = data[at + (24 << m):at + (24 << m) + nbytes]
        at += (24 << m) + (nbytes + 7) // 8 * 8
        f = np.arange(1 << 23, dtype=np.int64)
        x, s = f & (1 << 23 - m) - 1, f >> 23 - m
        y = (c[s, 0] + c[s, 1] * x + (c[s, 2] * x * x >> 16)) >> 24
        position, pos = -1, 0

        def number():
            nonlocal pos
            value = shift = 0
            while True:
                byte = stream[pos]
                pos += 1
                value |= (byte & 127) << shift
                shift += 7
                if byte < 128:
                    return value
        for _ in range(residuals):
            position += 1 + number()
            z = number()
            y[position] += z >> 1 ^ -(z & 1)
        tables[name] = y
    return tables


def read_words(folder, name):
    steps = np.frombuffer(gzip.open(f"{folder}/{name}.d32.gz").read(), "<u4")
    return np.cumsum(steps, dtype=np.uint32).astype(np.int64) & 0x7fffffff


def bounds(words, point):
    """Multiples of 2^-point that truncate to these f32 words: [low, high) in that unit."""
    exponent, significand = words >> 23, words & 0x7fffff | 1 << 23
    up, down = np.maximum(exponent - 150 + point, 0), np.maximum(150 - point - exponent, 0)
    down = np.minimum(down, 40)
    low, high = -(-(significand << up) >> down), -(-(significand + 1 << up) >> down)
    return np.where(words == 0, 0, low), np.where(words == 0, 1, high)


def fit_segment(low, high, x, q, step1, step2):
    """c1 and c2 as multiples of their steps, with the interval that is left for the constant."""
    weight = 1.0 / (high - low)
    middle = (low + high - 2 * low[0]) / 2.0
    m = np.stack([np.ones(len(x)), x / x.max(), q / q.max()], 1) * weight[:, None]
    p = np.linalg.lstsq(m, middle * weight, rcond=None)[0]
    first1, first2 = p[1] / x.max(), p[2] / q.max()
    w2 = weight * weight
    xm, qm = (x * w2).sum() / w2.sum(), (q * w2).sum() / w2.sum()
    slope = ((x - xm) * (q - qm) * w2).sum() / ((x - xm) ** 2 * w2).sum()
    best = None
    for d2 in range(-10, 11):
        c2 = (round(first2 / step2) + d2) * step2
        near1 = first1 - (c2 - first2) * slope
        for d1 in range(-6, 7):
            c1 = (round(near1 / step1) + d1) * step1
            rest = c1 * x + c2 * q
            a, b = int((low - rest).max()), int((high - 1 - rest).min())
            if a <= b and (best is None or b - a > best[3] - best[2]):
                best = (c1, c2, a, b)
    return best


def common_bias(rows, shift):
    for bias in range(1 << shift):
        if all((bias - a) % (1 << shift) <= b - a for _, _, a, b in rows):
            return bias
    raise SystemExit("no common bias")


def emit(name, rows, s0, s1, s2, bias=None):
    if bias is None:
        bias = common_bias(rows, s0)
    print(f"\n#ifdef TW_MUFU_{name.upper()}  /* bias {bias}, shifts {s0} {s1} {s2} */")
    line = ""
    for c1, c2, a, b in rows:
        c0 = b - bias >> s0
        assert a <= (c0 << s0) + bias <= b
        item = f"TW_MUFU({c0}, {c1 >> s1}, {c2 >> s2}) "
        if len(line) + len(item) > 128:
            print(line.rstrip())
            line = ""
        line += item
    print(line.rstrip() + f"\n#undef TW_MUFU_{name.upper()}\n#endif")


def fit_all(name, low, high, m, s0, s1, s2, skip_first=False, skip_last=0):
    n = 1 << 23 - m
    x = np.arange(n)
    q = truncated_square(x, 23 - m, 19 if m == 6 else 17)
    rows = []
    for s in range(1 << m):
        a = 1 if skip_first and s == 0 else 0
        b = n - (skip_last if s == (1 << m) - 1 else 0)
        row = fit_segment(low[s * n + a:s * n + b], high[s * n + a:s * n + b], x[a:b], q[a:b], 1 << s1, 1 << s2)
        if row is None:
            raise SystemExit(f"{name}: segment {s} has no solution")
        rows.append(row)
    emit(name, rows, s0, s1, s2)


def fit_tanh(words):
    """Binades 2^-8 to 2^-1, then [1, 8): (first entry, log2 of the entries); 17 bits of the offset count."""
    low, high = bounds(words, 31)
    low, high = low << 8, high << 8
    segments = []
    for binade, count in enumerate((0, 0, 0, 1, 1, 2, 2, 2)):
        segments += [((binade << 19) + (s << 19 - count), 19 - count) for s in range(1 << count)]
    for unit, count in enumerate((3, 3, 3, 1, 1, 1, 1)):
        segments += [((8 << 19) + (unit << 20) + (s << 20 - count), 20 - count) for s in range(1 << count)]
    rows = []
    for first, bits in segments:
        x = np.arange(1 << bits) >> bits - 17
        row = fit_segment(low[first:first + (1 << bits)], high[first:first + (1 << bits)], x,
                          truncated_square(x, 17, 19), 1, 2)
        if row is None:
            raise SystemExit(f"tanh: segment at {first} has no solution")
        rows.append(row)
    emit("tanh", rows, 15, 0, 1)


def main():
    folder = sys.argv[1]
    print("/* Coefficients of the approximate-math unit, one row a segment: c0, c1, c2. Generated by tools/fit_mufu.py from\n"
          " * results measured on an H200 (mufu_sm90.bin, lg2, sin, tanh); every one of them is met. */")
    tables = read_sections(folder)
    for name, m, shift, s0, s1, s2 in (("rcp", 7, 15, 13, 0, 0), ("ex2", 6, 15, 13, 0, 0), ("rsqrt0", 6, 16, 14, 0, 2),
                                       ("rsqrt1", 6, 16, 14, 0, 2), ("sqrt0", 6, 17, 15, 0, 1), ("sqrt1", 6, 17, 15, 0, 1)):
        y = tables[name]
        fit_all(name, y << shift, y + 1 << shift, m, s0, s1, s2, skip_first=name in ("rcp", "rsqrt0"))

    # lg2: both tables are cuts of one function: of L on [1, 2), and of 1 - L on [0.5, 1).
    # They show 36 fraction bits; the polynomial has 40.
    low, high = bounds(read_words(folder, "lg2_pos"), 36)
    low_neg, high_neg = bounds(read_words(folder, "lg2_neg"), 36)
    one = 1 << 36
    low[0], high[0] = 0, one  # lg2(1) is zero whatever the polynomial says
    fit_all("lg2", np.maximum(low << 4, (one - high_neg << 4) + 1), np.minimum(high << 4, (one - low_neg << 4) + 1),
            6, 14, 2, 3)

    low, high = bounds(read_words(folder, "sin"), 37)
    fit_all("sin", low, high, 6, 12, 0, 0, skip_first=True, skip_last=8)
    fit_tanh(read_words(folder, "tanh"))


main()
