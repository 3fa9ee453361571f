"""Asks for events, some of whose metrics are histograms: passes_over_histograms.py HOST TCP_PORT

Both clients see these events without a metric, and all else of them."""

import sys

import bernhard
from riemann_client.client import Client
from riemann_client.transport import TCPTransport


def check(found):
    assert sorted(found) == ["histogram", "number"], found
    assert found["number"] == 7, found
    assert not found["histogram"], found


def main(host, port):
    with Client(TCPTransport(host, int(port))) as client:
        found = client.query('host = "test"')
        check({event["service"]: event.get("metric_sint64") for event in found})
        assert all(event["description"] == "d" for event in found), found
    found = bernhard.Client(host, int(port)).query('host = "test"')
    check({event.service: event.metric for event in found})


main(*sys.argv[1:])
