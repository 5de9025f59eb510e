# SPDX-License-Identifier: BSD-3-Clause
"""Changes the files of an archive, of a profile, of a checkpoint or of a plan so that a reader gets deep into them before it meets
what is wrong. Everything comes from one random.Random, so that a seed says what was done.

OTF2's files are a head of 18 bytes and records: a type, a length (255: eight more bytes have it) and a payload, in
which most numbers are a count of bytes and these bytes; 5 and eight bytes are a time.
"""
import os
import re
import struct

from harness import sums

HEAD_BYTES, TIME = 18, 5
MAX_BYTES = 1 << 22
END_TYPES = (0, 1, 2)  # of padding, file and chunk
NUMBERS = (0, 1, 2, 127, 128, 255, 256, 32767, 65535, 65536, 1 << 20, (1 << 24) - 1, 1 << 24, (1 << 31) - 1, 1 << 31,
           (1 << 32) - 2, (1 << 32) - 1, 1 << 40, (1 << 62) - 1, 1 << 63, (1 << 64) - 2, (1 << 64) - 1)
TEXTS = (b"", b"%s%n%p", b"\x1b[2J\r\n", b"A" * 300, b"A" * 70000, b"\xff\xfe\x80", b"..", b"/etc/passwd",
         b"OMPTAPE::", b"OMPTAPE::RANK", b"node", b"machine", b"18446744073709551616", b"-1", b"1e999", b"nan")


def position(chance, data):
    return chance.randrange(len(data) + 1)


# Any bytes.

def flip(chance, data):
    for _ in range(chance.choice((1, 1, 2, 8))):
        at = chance.randrange(len(data))
        data[at] ^= 1 << chance.randrange(8)


def overwrite(chance, data):
    size = chance.choice((1, 2, 4, 8))
    at = position(chance, data)
    data[at:at + size] = (chance.choice(NUMBERS) & ((1 << 8 * size) - 1)).to_bytes(size, chance.choice(("little", "big")))


def cut(chance, data):
    del data[position(chance, data):]


def extend(chance, data):
    data += chance.choice((bytes(chance.randrange(256) for _ in range(chance.randrange(1, 64))), bytes(4096),
                           b"\xff" * 300, bytes(data)))


def block(chance, data):
    first = position(chance, data)
    return first, min(len(data), first + chance.choice((1, 8, 64, 512, 4096)))


def remove(chance, data):
    first, end = block(chance, data)
    del data[first:end]


def double(chance, data):
    first, end = block(chance, data)
    data[first:first] = data[first:end] * chance.choice((1, 1, 2, 100))


def swap(chance, data):
    (a, b), (c, d) = sorted((block(chance, data), block(chance, data)))
    if b <= c:
        data[a:d] = data[c:d] + data[b:c] + data[a:b]


def fill(chance, data):
    first, end = block(chance, data)
    data[first:end] = chance.choice((b"\0", b"\xff", b"%")) * (end - first)


BYTES = (flip, flip, overwrite, overwrite, cut, extend, remove, double, swap, fill)


# Records.

def compressed(value):
    """A number of a record."""
    size = max(1, (value.bit_length() + 7) // 8)
    return bytes([size]) + value.to_bytes(size, "little")


def records(data):
    """[(begin, payload, end)] of those that have a length, as far as they make sense."""
    events = any(data[10:HEAD_BYTES])  # how many there are; 5 is an ordinary type of definitions
    found, at = [], HEAD_BYTES
    while at + 2 <= len(data):
        if data[at] == TIME and events:
            at += 9
        elif data[at] in END_TYPES:
            at += 1
        else:
            payload = at + 2
            length = data[at + 1]
            if length == 255 and at + 10 <= len(data):
                length, payload = struct.unpack_from("<Q", data, at + 2)[0], at + 10
            if payload + length > len(data):
                break
            found.append((at, payload, payload + length))
            at = payload + length
    return found


def sized(kind, payload):
    length = bytes([len(payload)]) if len(payload) < 255 else b"\xff" + struct.pack("<Q", len(payload))
    return bytes([kind]) + length + payload


def one_record(change):
    """A mutation of the payload of some record, whose length follows."""
    def mutation(chance, data):
        found = records(data)
        if found:
            begin, payload, end = chance.choice(found)
            body = bytearray(data[payload:end])
            change(chance, body)
            data[begin:end] = sized(data[begin], body)
    return mutation


def number(chance, body):
    """One of the numbers of a record; the bytes may be something else."""
    places = [at for at in range(len(body)) if body[at] <= 8 or body[at] == 255]
    if places:
        at = chance.choice(places)
        value = chance.choice((*NUMBERS, chance.randrange(16), chance.randrange(200)))
        new = compressed(value)
        body[at:at + 1 + (body[at] if body[at] <= 8 else 0)] = chance.choice((new, new, b"\xff"))


def text(chance, body):
    """What ends with a zero becomes another text."""
    ends = [at for at, byte in enumerate(body) if byte == 0]
    if ends:
        end = chance.choice(ends)
        begin = body.rfind(b"\0", 0, end) + 1
        body[chance.randint(begin, end):end] = chance.choice(TEXTS)


def scramble(chance, body):
    if body:
        chance.choice(BYTES)(chance, body)


def kind(chance, data):
    found = records(data)
    if found:
        data[chance.choice(found)[0]] = chance.choice((chance.randrange(8, 80), chance.randrange(256)))


def length(chance, data):
    found = records(data)
    if found:
        begin, payload, end = chance.choice(found)
        data[begin + 1:payload] = chance.choice((bytes([chance.randrange(256)]), b"\xff" + struct.pack(
            "<Q", chance.choice((*NUMBERS, end - payload, end - payload + 1)))))


def double_record(chance, data):
    found = records(data)
    if found:
        begin, _, end = chance.choice(found)
        to = chance.choice(found)[0]
        data[to:to] = bytes(data[begin:end]) * chance.choice((1, 1, 1, 2, 1000))


def remove_record(chance, data):
    found = records(data)
    if found:
        begin, _, end = chance.choice(found)
        del data[begin:end]


def swap_records(chance, data):
    found = records(data)
    if len(found) > 1:
        (a, _, b), (c, _, d) = sorted(chance.sample(found, 2))
        data[a:d] = data[c:d] + data[b:c] + data[a:b]


def time(chance, data):
    """Of an event; the bytes may be something else."""
    places = [match.start() for match in re.finditer(b"\x05", bytes(data[HEAD_BYTES:]))]
    if places:
        at = HEAD_BYTES + chance.choice(places) + 1
        data[at:at + 8] = struct.pack("<Q", chance.choice(NUMBERS))


RECORDS = (one_record(number),) * 6 + (one_record(text), one_record(text), one_record(scramble), kind, length,
                                       double_record, remove_record, swap_records, time)


def archive_file(chance, data, name):
    """One change of a file of an archive."""
    if name.endswith(".otf2"):
        # The anchor's records are its properties: texts, one behind the other.
        chance.choice(BYTES + (text, text, text, text))(chance, data)
    else:
        chance.choice(RECORDS + RECORDS + BYTES)(chance, data)


# A checkpoint (src/folder/checkpoint.h).

CHECKPOINT_HEAD, CHECKPOINT_ENTRY = struct.Struct("<8sIIQ128s256s"), struct.Struct("<32sQQ")
NAMES = (b"traces.otf2", b"traces.def", b"traces.marker", b"traces/0.evt", b"traces/0.def", b"traces/99.evt", b"traces", b"",
         b"../outside", b"traces/../../outside", b"traces/0.evt/1.evt", b"traces/18446744073709551616.evt", b"a" * 32,
         b"traces/0.evt\0hidden", b"/tmp/traces.def", b"plan")


def checksum(total, data):
    mask = (1 << 64) - 1
    for at in range(0, len(data) - len(data) % 8, 8):
        total = ((total ^ int.from_bytes(data[at:at + 8], "little")) * 0x100000001b3) & mask
        total ^= total >> 29
    for byte in data[len(data) - len(data) % 8:]:
        total = ((total ^ byte) * 0x100000001b3) & mask
    return total


def unpack(data):
    """The head's fields and [[name, prefix, bytes, content]] of a whole checkpoint."""
    head, at, entries = list(CHECKPOINT_HEAD.unpack_from(data)), CHECKPOINT_HEAD.size, []
    while True:
        name, prefix, size = CHECKPOINT_ENTRY.unpack_from(data, at)
        at += CHECKPOINT_ENTRY.size
        if name[0] == 0:
            return head, entries
        entries.append([name, prefix, size, bytearray(data[at:at + size])])
        at += size


def pack(head, entries):
    """With the right checksum, whatever is in it."""
    data = CHECKPOINT_HEAD.pack(*head)
    total = checksum(0xcbf29ce484222325, data)
    for name, prefix, size, content in entries:
        entry = CHECKPOINT_ENTRY.pack(name, prefix, size)
        total = checksum(total, entry)
        for at in range(0, len(content), 1 << 20):
            total = checksum(total, content[at:at + (1 << 20)])
        data += entry + content
    return data + CHECKPOINT_ENTRY.pack(b"", total, 0)


def change_head(chance, head, _entries):
    which = chance.randrange(len(head))
    if isinstance(head[which], bytes):
        head[which] = chance.choice((b"", b"%s%n", b"\xff" * 300, b"/dev/shm/omptape-checkpoint-", b"omptckp"))
    else:
        head[which] = chance.choice(NUMBERS) & (0xffffffff if which < 3 else (1 << 64) - 1)


def change_entry(chance, _head, entries):
    entry = chance.choice(entries)
    which = chance.randrange(4)
    if which == 0:
        entry[0] = chance.choice(NAMES)
    elif which == 1:
        entry[1] = chance.choice((*NUMBERS, chance.randrange(1000)))
    elif which == 2:
        entry[2] = chance.choice((*NUMBERS, len(entry[3]) + 1, max(0, len(entry[3]) - 1)))
    else:
        del entry[3][position(chance, entry[3]):]
        entry[2] = len(entry[3])


def change_content(chance, _head, entries):
    entry = chance.choice(entries)
    archive_file(chance, entry[3], entry[0].rstrip(b"\0").decode(errors="replace"))
    entry[2] = len(entry[3])


def change_order(chance, _head, entries):
    which = chance.randrange(3)
    if which == 0:
        chance.shuffle(entries)
    elif which == 1:
        entries.insert(position(chance, entries), list(chance.choice(entries)))
    else:
        entries.remove(chance.choice(entries))


def checkpoint(chance, data):
    """One change; mostly with a checksum that is right."""
    try:
        head, entries = unpack(data)
    except (struct.error, OverflowError):
        entries = []
    if not entries or chance.random() < 0.2:
        chance.choice(BYTES)(chance, data)
        return
    chance.choice((change_head, change_entry, change_entry, change_content, change_content, change_order))(
        chance, head, entries)
    data[:] = pack(head, entries)


# A profile's sums (tests/harness/sums.py).

def change_number(chance, numbers):
    numbers[chance.randrange(len(numbers))] = chance.choice((*NUMBERS, chance.randrange(1000)))


def change_alike(chance, numbers):
    """All from here to there that are as large."""
    least, most = chance.choice(((0, 1), (1, 64), (64, 1 << 64), (1 << 20, 1 << 64), (0, 1 << 64)))
    first = position(chance, numbers)
    other = chance.choice(NUMBERS)
    for at in range(first, min(len(numbers), first + chance.choice((8, 64, 512, 1 << 16)))):
        if least <= numbers[at] < most:
            numbers[at] = other


def swap_numbers(chance, numbers):
    one, other = chance.randrange(len(numbers)), chance.randrange(len(numbers))
    numbers[one], numbers[other] = numbers[other], numbers[one]


def profile_sums(chance, data):
    """One change; mostly of numbers, and with hashes that are right."""
    try:
        parts = list(sums.split(data))
        which = chance.choice((0, 0, 0, 1))
        numbers = sums.numbers_of(parts[which])
    except IndexError:
        numbers = []
    if len(numbers) < 4 or chance.random() < 0.1:
        chance.choice(BYTES)(chance, data)
        return
    own = 0 if which == 1 or chance.random() < 0.02 else 2  # what the tables say that they are
    rest = numbers[own:]
    chance.choice((change_number, change_number, change_alike, swap_numbers, remove, double))(chance, rest)
    parts[which] = b"".join(map(sums.encoded, numbers[:own] + rest))
    data[:] = sums.joined(data, *parts)


# A plan (src/unify/plan.c): lines of words.

WORDS = (b"-1", b"0", b"99999999999999999999", b"4294967296", b"..", b".", b"/", b"../outside", b"%2e%2e", b"%2E%2E%2Foutside",
         b"%", b"%0", b"%00", b"%ff", b"%-1", b"%+f", b"a/b", b"A" * 5000, b"A" * 20000, b"", b"traces", b".omptape-unify", b"move", b"part",
         b"locations", b"%s%n")


def plan(chance, data):
    if chance.random() < 0.2:
        chance.choice(BYTES)(chance, data)
        return
    lines = [line.split(b" ") for line in bytes(data).split(b"\n")]
    line = chance.choice(lines)
    which = chance.randrange(5)
    if which < 2:
        line[chance.randrange(len(line))] = chance.choice(WORDS)
    elif which == 2:
        lines.insert(position(chance, lines), list(line))
    elif which == 3:
        lines.remove(line)
    else:
        line.insert(position(chance, line), chance.choice(WORDS))
    data[:] = b"\n".join(b" ".join(line) for line in lines)


# Whole folders.

def change_file(chance, path, change, *more):
    with open(path, "rb") as file:
        data = bytearray(file.read()) or bytearray(b"\3B")
    change(chance, data, *more)
    with open(path, "wb") as file:
        file.write(data[:MAX_BYTES])


def change_place(chance, files):
    """Something else has a file's place."""
    path, other = chance.choice(files), chance.choice(files)
    which = chance.randrange(6)
    if not os.path.isfile(path) or not os.path.isfile(other):
        return
    if which == 0:
        os.replace(other, path)
        return
    os.unlink(path)
    if which == 1:
        os.mkdir(path)
    elif which == 2:
        os.symlink(chance.choice((os.path.basename(path), other, "/dev/zero", "/dev/null")), path)
    elif which == 3:
        os.mkfifo(path)
    elif which == 4:
        with open(path, "wb"):
            pass


def folder(chance, path):
    """Changes something in a folder of archives; returns what."""
    files = sorted(os.path.join(root, name) for root, _, names in os.walk(path) for name in names)
    named = {"plan": plan, ".omptape-checkpoint": checkpoint, ".sums": profile_sums}

    def change_of(name):
        return named.get(name, named.get(os.path.splitext(name)[1]))

    own = [one for one in files if change_of(os.path.basename(one))]
    done = []
    for _ in range(chance.choice((1, 1, 1, 2, 3, 6))):
        if chance.random() < 0.03:
            change_place(chance, files)
            done.append("something else in a file's place")
            continue
        one = chance.choice(own) if own and chance.random() < 0.7 else chance.choice(files)
        if not os.path.isfile(one) or os.path.islink(one):
            continue
        name = os.path.basename(one)
        change_file(chance, one, *((change_of(name),) if change_of(name) else (archive_file, name)))
        done.append(os.path.relpath(one, path))
    return ", ".join(done)
