"""Sends events by Riemann's protocol: a length, then a protobuf `Msg`, over TCP."""

import socket
import struct

# Field numbers of Event, by name; all are strings.
STRINGS = {"state": 2, "service": 3, "host": 4, "description": 5}


class Sender:
    def __init__(self, host, port):
        self.socket = socket.create_connection((host, port), timeout=10)

    def send(self, **event):
        """Sends one event and waits for the acknowledgement."""
        message = field(6, encode(event))
        self.socket.sendall(struct.pack(">I", len(message)) + message)
        (length,) = struct.unpack(">I", self.read(4))
        answer = self.read(length)
        if answer != b"\x10\x01":
            raise AssertionError(f"not acknowledged: {answer!r}")

    def read(self, length):
        data = b""
        while len(data) < length:
            more = self.socket.recv(length - len(data))
            if not more:
                raise AssertionError("the server closed the connection")
            data += more
        return data


def encode(event):
    known = {*STRINGS, "metric", "ttl", "tags"}
    data = b"".join(field(STRINGS[key], event[key].encode()) for key in STRINGS if key in event)
    data += b"".join(field(7, tag.encode()) for tag in event.get("tags", []))
    if "ttl" in event:
        data += varint(8 << 3 | 5) + struct.pack("<f", event["ttl"])
    for key in event.keys() - known:
        data += field(9, field(1, key.encode()) + field(2, event[key].encode()))
    if "metric" in event:
        data += varint(14 << 3 | 1) + struct.pack("<d", event["metric"])
    return data


def field(number, data):
    return varint(number << 3 | 2) + varint(len(data)) + data


def varint(value):
    data = b""
    while value > 0x7F:
        data += bytes([value & 0x7F | 0x80])
        value >>= 7
    return data + bytes([value])
