"""A pretend server for the page: the files of crates/web/assets, a status, and an index over
websockets that does what a test tells it. Can be stopped, started again and told to lag."""

import base64
import datetime
import hashlib
import http.server
import json
import pathlib
import re
import struct
import threading
import time
import urllib.parse

ROOT = pathlib.Path(__file__).parents[2] / "crates" / "web"
TYPES = {
    ".html": "text/html",
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
}
MAGIC = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


def content_security_policy():
    """The one the crate sends, so that the page is tested under it."""
    source = (ROOT / "src" / "answer.rs").read_text()
    literal = re.search(r'CONTENT_SECURITY_POLICY: &str = "(.*?)";', source, re.S)[1]
    return re.sub(r"\\\n\s*", "", literal)


class FakeServer:
    def __init__(self):
        self.index = {}
        self.asked = []
        self.total = 0
        self.readers = []
        self.lock = threading.Lock()
        self.started = time.time()
        self.port = 0
        self.start()

    def start(self):
        handler = type("Bound", (Handler,), {"server_state": self})
        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", self.port), handler)
        self.http.daemon_threads = True
        self.port = self.http.server_address[1]
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def stop(self):
        self.http.shutdown()
        self.http.server_close()
        with self.lock:
            for reader in self.readers:
                reader.hang_up()
            self.readers.clear()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}/"

    def send(self, **event):
        now = datetime.datetime.now(datetime.timezone.utc)
        stamp = now.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        blank = dict.fromkeys(["host", "service", "state", "description", "metric", "tags", "ttl"])
        event = {**blank, "time": stamp, **event}
        with self.lock:
            self.total += 1
            key = (event["host"], event["service"])
            if event["state"] == "expired":
                self.index.pop(key, None)
            else:
                self.index[key] = event
            for reader in self.readers:
                if reader.matches(event):
                    reader.text(json.dumps(event))

    def history(self, asked):
        """An hour of a series that has a past, with a gap; nothing of others."""
        self.asked.append(asked)
        rows = [[minute * 60, 1, 2, 3 + minute % 7, 10] for minute in range(60) if minute != 30]
        series = [{"rows": rows, "total": [1, 2, 9, 10]}] if "with a past" in asked["query"] else []
        return {"from": 0, "to": 3600, "step": 60, "series": series}

    def publish_raw(self, text):
        with self.lock:
            for reader in self.readers:
                reader.text(text)

    def status(self):
        return {
            "version": "0.0.0-fake",
            "hostname": "fake-host",
            "pid": 1,
            "time": datetime.datetime.now(datetime.timezone.utc).isoformat(),
            "uptime_s": time.time() - self.started,
            "ports": [
                {"name": "tcp", "address": "127.0.0.1:5555"},
                {"name": "udp", "address": "127.0.0.1:5555"},
                {"name": "ws", "address": f"127.0.0.1:{self.port}"},
            ],
            "events_total": self.total,
            "events_per_s": 0,
            "index_size": len(self.index),
            "history": True,
            "config": "/etc/cauchy/riemann.config",
            "last_reload": None,
        }


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_state = None

    def log_message(self, *_):
        pass

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        if url.path == "/index":
            self.websocket(dict(urllib.parse.parse_qsl(url.query)))
        elif url.path == "/api/status":
            self.answer("application/json", json.dumps(self.server_state.status()).encode())
        elif url.path == "/api/history":
            asked = dict(urllib.parse.parse_qsl(url.query))
            self.answer("application/json", json.dumps(self.server_state.history(asked)).encode())
        else:
            name = "index.html" if url.path == "/" else url.path.removeprefix("/assets/")
            file = ROOT / "assets" / name
            self.answer(TYPES[file.suffix], file.read_bytes())

    def answer(self, content_type, body):
        self.send_response(200)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Content-Security-Policy", content_security_policy())
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(body)

    def websocket(self, params):
        accept = hashlib.sha1(self.headers["Sec-WebSocket-Key"].encode() + MAGIC).digest()
        self.send_response(101)
        self.send_header("Upgrade", "websocket")
        self.send_header("Connection", "Upgrade")
        self.send_header("Sec-WebSocket-Accept", base64.b64encode(accept).decode())
        self.end_headers()
        self.close_connection = True
        reader = Reader(self.connection)
        try:
            reader.matches = compile_query(params["query"])
        except ValueError as error:
            reader.close(1008, str(error))
            return
        state = self.server_state
        with state.lock:
            for event in filter(reader.matches, state.index.values()):
                reader.text(json.dumps(event))
            if params.get("subscribe") != "true":
                reader.close(1000, "")
                return
            state.readers.append(reader)
        try:
            while self.connection.recv(4096):
                pass
        except OSError:
            pass
        with state.lock:
            if reader in state.readers:
                state.readers.remove(reader)


class Reader:
    def __init__(self, connection):
        self.connection = connection
        self.matches = None

    def text(self, text):
        self.frame(0x81, text.encode())

    def close(self, code, reason):
        self.frame(0x88, struct.pack(">H", code) + reason.encode())

    def hang_up(self):
        try:
            self.connection.shutdown(2)
        except OSError:
            pass

    def frame(self, head, data):
        length = bytes([len(data)]) if len(data) < 126 else b"\x7e" + struct.pack(">H", len(data))
        try:
            self.connection.sendall(bytes([head]) + length + data)
        except OSError:
            pass


def compile_query(query):
    """A few queries: `true`, and comparisons of one field with a string, joined with `and`."""
    clauses = []
    for clause in query.split(" and "):
        if clause == "true":
            continue
        parts = re.fullmatch(r'(\w+) (=|!=) ("[^"]*"|nil)', clause)
        if not parts:
            raise ValueError(f"mismatched input '{clause.split()[-1]}' expecting STRING")
        value = None if parts[3] == "nil" else parts[3][1:-1]
        clauses.append((parts[1], parts[2] == "=", value))
    return lambda event: all((event.get(field) == value) == same for field, same, value in clauses)
