"""Events of every kind that the Python clients can say, and what must come back of them."""

import time

PATIENCE_S = 20

# By service, the fields beside host and time. A metric has the field of the wire that it travels in.
SENT = {
    "int": {"metric_sint64": 9007199254740993},
    "min": {"metric_sint64": -(2**63)},
    "double": {"metric_d": 3.141592653589793},
    "huge": {"metric_d": 1e300},
    "float": {"metric_f": 0.5},
    "none": {},
    "text": {"state": "grün", "description": "ligne 1\nligne 2 – ☃ 𝄞", "metric_f": -1.0},
    "long": {"description": "x" * 10_000},
    "tags": {"tags": ["a", "b c", "ü"], "metric_sint64": 0},
    "attributes": {"attributes": {"rack": "a1", "größe": "10 µm", "empty": ""}},
    "past": {"time": 1700000000, "ttl": 2.0**30},
}


def event(host, service):
    """The fields to send."""
    fields = {"time": int(time.time()), "ttl": 300.5, **SENT[service]}
    return {"host": host, "service": service, **fields}


def expected(sent):
    """What Riemann answers of it: an exact metric comes with a float beside it, and a float comes
    as a double too."""
    fields = dict(sent)
    if "metric_sint64" in fields:
        fields["metric_f"] = float(fields["metric_sint64"])
    elif "metric_d" in fields:
        fields["metric_f"] = fields["metric_d"]
    elif "metric_f" in fields:
        fields["metric_d"] = fields["metric_f"]
    return fields


def compare(got, sent):
    """Holds an answer, a dict of the fields that were on the wire, to what was sent."""
    got.pop("time_micros", None)
    wanted = expected(sent)
    assert got.keys() == wanted.keys(), (got, wanted)
    for name, value in wanted.items():
        if name == "metric_f":
            assert got[name] == single(value), (sent["service"], name, got[name], value)
        else:
            assert got[name] == value, (sent["service"], name, got[name], value)


def single(number):
    """The nearest number of 32 bits; beyond them, infinity."""
    import ctypes

    return ctypes.c_float(number).value


def await_all(ask, count):
    """Asks until all have come: datagrams are not acknowledged."""
    deadline = time.monotonic() + PATIENCE_S
    while len(found := ask()) < count:
        assert time.monotonic() < deadline, f"{len(found)} events of {count}"
    return found
