"""Sends and asks with the package `riemann-client`: with_riemann_client.py HOST TCP_PORT UDP_PORT"""

import sys

from riemann_client.client import Client, QueuedClient
from riemann_client.transport import RiemannError, TCPTransport, UDPTransport

import every_kind


def named(host):
    return {service: every_kind.event(host, service) for service in every_kind.SENT}


def copies(events):
    """The client takes its arguments apart."""
    return [{**event, **copied(event)} for event in events]


def copied(event):
    return {name: type(event[name])(event[name]) for name in ("tags", "attributes") if name in event}


def check(client, sent):
    host = sent["int"]["host"]
    found = every_kind.await_all(lambda: client.query(f'host = "{host}"'), len(sent))
    for event in found:
        every_kind.compare(event, sent[event["service"]])
    assert len(found) == len(sent), found


def over_tcp(client):
    sent = named("python-tcp")
    alone, *together = copies(sent.values())
    assert client.event(**alone).ok
    assert client.events(*together).ok
    check(client, sent)


def queued(transport):
    sent = named("python-queued")
    with QueuedClient(transport) as client:
        client.events(*copies(sent.values()))
        assert client.flush().ok
        check(client, sent)


def over_udp(client, port):
    sent = named("python-udp")
    with Client(UDPTransport(client.transport.host, port)) as sender:
        for event in copies(sent.values()):
            sender.event(**event)
    check(client, sent)


def errors_are_told(client):
    try:
        client.query("service =~ foo")
    except RiemannError as error:
        assert "foo" in str(error), error
    else:
        raise AssertionError("a query that cannot be read was answered")
    assert client.query('service = "nothing of the kind"') == []


def main(host, tcp_port, udp_port):
    with Client(TCPTransport(host, int(tcp_port), timeout=every_kind.PATIENCE_S)) as client:
        over_tcp(client)
        over_udp(client, int(udp_port))
        errors_are_told(client)
    queued(TCPTransport(host, int(tcp_port), timeout=every_kind.PATIENCE_S))


main(*sys.argv[1:])
