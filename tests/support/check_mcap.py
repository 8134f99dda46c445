#!/usr/bin/env python3
"""Reads a recording strictly by the MCAP specification (https://mcap.dev/spec), with nothing of Lipkin's code.

    check_mcap.py FILE

Prints {"messages": {topic: count}, "schemas": {topic: name}, "attachments": [...], "metadata": [...]}, or says what is
wrong with the file and where. Checks the order and grouping of records, every length, offset, index and checksum, that
ids are known before they are used, and that messages are JSON as their JSON Schema says; those of Foxglove's well-known
schemas by the fields of https://docs.foxglove.dev/docs/visualization/message-schemas.
"""
import json, struct, sys, zlib

MAGIC = b"\x89MCAP0\r\n"
(HEADER, FOOTER, SCHEMA, CHANNEL, MESSAGE, CHUNK, MESSAGE_INDEX, CHUNK_INDEX, ATTACHMENT, ATTACHMENT_INDEX, STATISTICS,
 METADATA, METADATA_INDEX, SUMMARY_OFFSET, DATA_END) = range(1, 16)
DATA_RECORDS = {SCHEMA, CHANNEL, MESSAGE, CHUNK, MESSAGE_INDEX, ATTACHMENT, METADATA, DATA_END}
SUMMARY_RECORDS = {SCHEMA, CHANNEL, CHUNK_INDEX, ATTACHMENT_INDEX, STATISTICS, METADATA_INDEX}


def require(condition, what):
    if not condition:
        raise SystemExit(f"{sys.argv[1]}: {what}")


class Fields:
    """The content of one record, from its front."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def raw(self, size):
        require(self.at + size <= len(self.data), "a record is shorter than its fields")
        self.at += size
        return self.data[self.at - size:self.at]

    def u16(self): return struct.unpack("<H", self.raw(2))[0]
    def u32(self): return struct.unpack("<I", self.raw(4))[0]
    def u64(self): return struct.unpack("<Q", self.raw(8))[0]
    def text(self): return self.raw(self.u32()).decode("utf-8")

    def pairs(self, key, value):
        inside, result = Fields(self.raw(self.u32())), {}
        while inside.at < len(inside.data):
            k = key(inside)
            require(k not in result, f"a map has {k} twice")
            result[k] = value(inside)
        return result

    def end(self):
        require(self.at == len(self.data), "a record is longer than its fields")


def records(data, begin, end):
    """(offset, length with head, kind, fields) of each record."""
    while begin < end:
        require(begin + 9 <= end, f"half a record at {begin}")
        kind, size = struct.unpack_from("<BQ", data, begin)
        require(begin + 9 + size <= end, f"the record at {begin} goes beyond its section")
        yield begin, 9 + size, kind, Fields(data[begin + 9:begin + 9 + size])
        begin += 9 + size


def of_type(value, schema, where):
    """The part of JSON Schema that recordings use."""
    kinds = {"object": dict, "array": list, "string": str, "number": (int, float), "integer": int}
    if "type" in schema:
        listed = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        fits = any(value is None if k == "null" else isinstance(value, kinds[k]) and not isinstance(value, bool)
                   for k in listed)
        require(fits, f"{where} is {value!r}, its schema says {schema['type']}")
    if isinstance(value, dict):
        for key in schema.get("required", []):
            require(key in value, f"{where} has no {key}")
        for key, inside in schema.get("properties", {}).items():
            if key in value:
                of_type(value[key], inside, f"{where}.{key}")
    if isinstance(value, list) and "items" in schema:
        for i, item in enumerate(value):
            of_type(item, schema["items"], f"{where}[{i}]")


def frame_transforms(message, where):
    require(set(message) == {"transforms"}, f"{where}: expected transforms alone")
    for t in message["transforms"]:
        fields = {"timestamp", "parent_frame_id", "child_frame_id", "translation", "rotation"}
        require(set(t) == fields, f"{where}: a transform has the fields {sorted(t)}")
        require(set(t["timestamp"]) == {"sec", "nsec"} and 0 <= t["timestamp"]["nsec"] < 10**9, f"{where}: no time")
        require(set(t["translation"]) == set("xyz") and set(t["rotation"]) == set("xyzw"), f"{where}: no pose")
        norm = sum(x * x for x in t["rotation"].values())
        require(abs(norm - 1) < 1e-9, f"{where}: a rotation of norm {norm}")


class Recording:
    def __init__(self, data):
        self.data = data
        self.schemas, self.channels, self.counts, self.sequence = {}, {}, {}, {}
        self.chunks, self.attachments, self.metadata, self.indices, self.times = {}, {}, {}, {}, []

    def schema(self, f):
        key, value = f.u16(), (f.text(), f.text(), f.raw(f.u32()))
        f.end()
        require(key != 0, "a schema has the id 0")
        require(self.schemas.setdefault(key, value) == value, f"schema {key} differs from itself")
        require(value[1] == "jsonschema", f"schema {value[0]} is written in {value[1]}")
        require(json.loads(value[2]).get("type") == "object", f"schema {value[0]} is no object")

    def channel(self, f):
        key, value = f.u16(), (f.u16(), f.text(), f.text(), f.pairs(Fields.text, Fields.text))
        f.end()
        require(value[0] in self.schemas, f"channel {value[1]} comes before its schema")
        require(self.channels.setdefault(key, value) == value, f"channel {key} differs from itself")
        require(value[2] == "json", f"channel {value[1]} holds {value[2]}")

    def message(self, f):
        channel, sequence, log_time, _ = f.u16(), f.u32(), f.u64(), f.u64()
        require(channel in self.channels, f"a message comes before its channel {channel}")
        require(sequence == self.counts.get(channel, 0), f"channel {channel}: message {sequence} is out of order")
        self.counts[channel] = sequence + 1
        self.times.append(log_time)
        value = json.loads(f.data[f.at:].decode("utf-8"), parse_constant=lambda x: require(False, f"{x} is no JSON"))
        name, _, schema = self.schemas[self.channels[channel][0]]
        where = f"{self.channels[channel][1]} {sequence}"
        of_type(value, json.loads(schema), where)
        if name == "foxglove.FrameTransforms":
            frame_transforms(value, where)
        return channel, log_time

    def chunk(self, offset, length, f):
        begin, end, size, crc, compression = f.u64(), f.u64(), f.u64(), f.u32(), f.text()
        require(compression == "", f"a chunk is compressed with {compression}")
        inside = f.raw(f.u64())
        f.end()
        require(size == len(inside) and crc == zlib.crc32(inside), f"the chunk at {offset}: size or checksum")
        index = {}
        for at, _, kind, record in records(inside, 0, len(inside)):
            require(kind in (SCHEMA, CHANNEL, MESSAGE), f"a record {kind} in a chunk")
            if kind == SCHEMA: self.schema(record)
            if kind == CHANNEL: self.channel(record)
            if kind == MESSAGE:
                channel, time = self.message(record)
                require(begin <= time <= end, f"the chunk at {offset} does not cover its messages")
                index.setdefault(channel, []).append((time, at))
        times = [t for entries in index.values() for t, _ in entries]
        require((begin, end) == (min(times, default=0), max(times, default=0)), f"the times of the chunk at {offset}")
        self.chunks[offset] = {"begin": begin, "end": end, "length": length, "size": size, "index": index, "at": {}}
        self.last = offset

    def message_index(self, offset, length, f):
        channel, entries = f.u16(), []
        inside = Fields(f.raw(f.u32()))
        while inside.at < len(inside.data): entries.append((inside.u64(), inside.u64()))
        f.end()
        chunk = self.chunks[self.last]
        require(entries == chunk["index"].get(channel), f"the message index at {offset}")
        chunk["at"][channel] = offset
        chunk["after"] = offset + length

    def attachment(self, offset, length, f):
        times, name, kind = (f.u64(), f.u64()), f.text(), f.text()
        size = len(f.raw(f.u64()))
        covered = f.at
        require(f.u32() == zlib.crc32(f.data[:covered]), f"the checksum of attachment {name}")
        f.end()
        self.attachments[offset] = (length, *times, size, name, kind)

    def data_section(self, begin, end):
        kinds = []
        for offset, length, kind, f in records(self.data, begin, end):
            require(kind in DATA_RECORDS, f"a record {kind} in the data section, at {offset}")
            require(DATA_END not in kinds, "a record behind the data's end")
            require(kind != MESSAGE_INDEX or kinds[-1] in (CHUNK, MESSAGE_INDEX), "a message index without its chunk")
            kinds.append(kind)
            if kind == SCHEMA: self.schema(f)
            if kind == CHANNEL: self.channel(f)
            if kind == MESSAGE: self.message(f)
            if kind == CHUNK: self.chunk(offset, length, f)
            if kind == MESSAGE_INDEX: self.message_index(offset, length, f)
            if kind == ATTACHMENT: self.attachment(offset, length, f)
            if kind == METADATA:
                name = f.text()
                f.pairs(Fields.text, Fields.text), f.end()
                self.metadata[offset] = (length, name)
            if kind == DATA_END:
                require(f.u32() in (0, zlib.crc32(self.data[:offset])), "the checksum of the data section")
                f.end()
        require(kinds and kinds[-1] == DATA_END, "the data section has no end")
        for offset, chunk in self.chunks.items():
            require(set(chunk["at"]) == set(chunk["index"]), f"the chunk at {offset} has messages without an index")

    def summary(self, begin, end):
        groups, seen = {}, {}
        before = None
        for offset, length, kind, f in records(self.data, begin, end):
            require(kind in SUMMARY_RECORDS, f"a record {kind} in the summary")
            require(kind == before or kind not in groups, f"records {kind} of the summary are not together")
            groups.setdefault(kind, [offset, 0])[1] += length
            seen.setdefault(kind, []).append(f)
            before = kind
        known = (dict(self.schemas), dict(self.channels))
        for f in seen.get(SCHEMA, []): self.schema(f)
        for f in seen.get(CHANNEL, []): self.channel(f)
        require((self.schemas, self.channels) == known, "the summary has schemas or channels of its own")
        require(len(seen.get(SCHEMA, [])) == len(known[0]) and len(seen.get(CHANNEL, [])) == len(known[1]),
                "the summary does not have every schema and channel")
        indexed = {}
        for f in seen.get(CHUNK_INDEX, []):
            begin, end, at, length = f.u64(), f.u64(), f.u64(), f.u64()
            index, index_length = f.pairs(Fields.u16, Fields.u64), f.u64()
            compression, compressed, size = f.text(), f.u64(), f.u64()
            f.end()
            c = self.chunks[at]
            require((begin, end, length, index, compression, compressed, size) ==
                    (c["begin"], c["end"], c["length"], c["at"], "", c["size"], c["size"]), f"the index of chunk {at}")
            require(index_length == c.get("after", at + length) - at - length, f"the length of the index of chunk {at}")
            indexed[at] = True
        require(set(indexed) == set(self.chunks), "not every chunk is in the index")
        attachments = {f.u64(): (f.u64(), f.u64(), f.u64(), f.u64(), f.text(), f.text())
                       for f in seen.get(ATTACHMENT_INDEX, [])}
        require(attachments == self.attachments, "the index of attachments")
        require({f.u64(): (f.u64(), f.text()) for f in seen.get(METADATA_INDEX, [])} == self.metadata,
                "the index of metadata")
        require(len(seen.get(STATISTICS, [])) == 1, "there is not one record of statistics")
        f = seen[STATISTICS][0]
        stated = (f.u64(), f.u16(), f.u32(), f.u32(), f.u32(), f.u32(), f.u64(), f.u64())
        counts = f.pairs(Fields.u16, Fields.u64)
        f.end()
        require(stated == (len(self.times), len(self.schemas), len(self.channels), len(self.attachments),
                           len(self.metadata), len(self.chunks), min(self.times, default=0),
                           max(self.times, default=0)), f"the statistics {stated}")
        require({k: n for k, n in counts.items() if n} == self.counts, "the counts of messages")
        return groups


def main():
    data = open(sys.argv[1], "rb").read()
    require(data[:8] == MAGIC and data[-8:] == MAGIC, "no magic at the begin or the end")
    footer_at = len(data) - 8 - 29
    offset, _, kind, f = next(records(data, footer_at, len(data) - 8))
    require(kind == FOOTER, "the last record is no footer")
    summary_start, offset_start, crc = f.u64(), f.u64(), f.u32()
    f.end()
    _, length, kind, f = next(records(data, 8, len(data)))
    require(kind == HEADER, "the first record is no header")
    f.text(), f.text(), f.end()
    recording = Recording(data)
    recording.data_section(8 + length, summary_start)
    groups = recording.summary(summary_start, offset_start)
    require(crc == zlib.crc32(data[summary_start:footer_at + 25]), "the checksum of the summary")
    listed = {}
    for _, _, kind, f in records(data, offset_start, footer_at):
        require(kind == SUMMARY_OFFSET, f"a record {kind} among the summary's offsets")
        group, begin, size = f.raw(1)[0], f.u64(), f.u64()
        listed[group] = [begin, size]
        f.end()
    require(listed == groups, f"the offsets of the summary are {listed}, its groups {groups}")
    names = {key: channel[1] for key, channel in recording.channels.items()}
    print(json.dumps({"messages": {name: recording.counts.get(key, 0) for key, name in names.items()},
                      "schemas": {names[k]: recording.schemas[c[0]][0] for k, c in recording.channels.items()},
                      "attachments": [a[4] for a in recording.attachments.values()],
                      "metadata": [m[1] for m in recording.metadata.values()]}))


if __name__ == "__main__":
    main()
