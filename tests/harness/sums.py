# SPDX-License-Identifier: BSD-3-Clause
"""A profile's sums (src/analysis/reduce/profile.h, partial.h): their parts, and the hashes that belong to them.

Eight bytes that say what it is, the length of the tables, the tables with a hash of their own, a pyramid of bins, and a hash
of all. Nearly everything is a number of seven bits a byte.
"""
import struct

HEAD_BYTES = 8      # of the file, and of the tables
HASH_BYTES = 8
MASK = (1 << 64) - 1


def hash_of(data):
    """src/core/hash.c's omptape_hash_key."""
    def mix(key, word):
        key = (key ^ word) * 0x9e3779b97f4a7c15 & MASK
        return key ^ key >> 32
    key = len(data)
    whole = len(data) // 8 * 8
    for (word,) in struct.iter_unpack("=Q", data[:whole]):
        key = mix(key, word)
    rest = 0
    for byte in data[whole:]:
        rest = (rest << 8 | byte) & MASK
    return mix(key, rest) or 1


def sealed(data):
    return bytes(data) + struct.pack("=Q", hash_of(bytes(data)))


def number_at(data, at):
    """A number and what is behind it."""
    number = shift = 0
    while True:
        byte = data[at]
        at += 1
        number |= (byte & 0x7f) << shift
        shift += 7
        if byte < 0x80:
            return number, at


def encoded(number):
    data = bytearray()
    while number > 0x7f:
        data.append(number & 0x7f | 0x80)
        number >>= 7
    data.append(number)
    return bytes(data)


def numbers_of(data):
    """All numbers; the bytes of a text are such, too. IndexError: the last one is cut."""
    numbers, at = [], 0
    while at < len(data):
        number, at = number_at(data, at)
        numbers.append(number)
    return numbers


def split(data):
    """The tables and the pyramid, without heads and hashes. IndexError: it is cut."""
    length, at = number_at(data, HEAD_BYTES)
    return bytes(data[at + HEAD_BYTES:at + length - HASH_BYTES]), bytes(data[at + length:-HASH_BYTES])


def joined(data, tables, pyramid):
    """The file with other tables and another pyramid, and with the lengths and hashes that belong to them."""
    _, at = number_at(data, HEAD_BYTES)
    tables = sealed(bytes(data[at:at + HEAD_BYTES]) + tables)
    return sealed(bytes(data[:HEAD_BYTES]) + encoded(len(tables)) + tables + pyramid)
