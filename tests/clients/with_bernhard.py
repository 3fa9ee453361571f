"""Sends and asks with the package `bernhard`: with_bernhard.py HOST TCP_PORT UDP_PORT"""

import sys

import bernhard

import every_kind


def fields(event):
    """Those that were on the wire, as a dict."""
    found = {field.name: value for field, value in event.event.ListFields()}
    if "tags" in found:
        found["tags"] = list(found["tags"])
    if "attributes" in found:
        found["attributes"] = {pair.key: pair.value for pair in found["attributes"]}
    return found


def check(client, sent):
    host = sent["int"]["host"]
    found = every_kind.await_all(lambda: client.query(f'host = "{host}"'), len(sent))
    for event in map(fields, found):
        every_kind.compare(event, sent[event["service"]])


def main(host, tcp_port, udp_port):
    client = bernhard.Client(host, int(tcp_port))
    for way, sender in [
        ("tcp", client),
        ("udp", bernhard.Client(host, int(udp_port), transport=bernhard.UDPTransport)),
    ]:
        sent = {name: every_kind.event(f"bernhard-{way}", name) for name in every_kind.SENT}
        for event in sent.values():
            if way == "tcp":
                assert client.send(event) is True
            else:
                # The client makes a message of the answer that UDP does not give.
                sender.connect()
                message = bernhard.Message(events=[bernhard.Event(params=event)])
                sender.connection.write(message.raw)
        check(client, sent)
    assert client.query('service = "nothing of the kind"') == []
    assert len(client.query('tagged "b c" and host = "bernhard-tcp"')) == 1


main(*sys.argv[1:])
