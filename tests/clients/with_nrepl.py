"""Evaluates with the package `nrepl-python-client`: with_nrepl.py HOST PORT"""

import os
import sys
import threading

import nrepl


class Client:
    def __init__(self, host, port):
        self.connection = nrepl.connect(f"nrepl://{host}:{port}")
        self.last_id = 0

    def send(self, **message):
        self.last_id += 1
        self.connection.write({"id": str(self.last_id), **message})
        return str(self.last_id)

    def answers(self, id):
        """The messages that answer one, up to that which says it is done."""
        found = []
        while True:
            message = self.connection.read()
            if message["id"] != id:
                continue
            found.append(message)
            if "done" in message.get("status", []):
                return found

    def ask(self, **message):
        return self.answers(self.send(**{key.replace("_", "-"): value for key, value in message.items()}))


def field(messages, name):
    return [message[name] for message in messages if name in message]


def expect(actual, expected):
    assert actual == expected, f"{actual!r} is not {expected!r}"


def sessions(client):
    session = client.ask(op="clone")[0]["new-session"]
    other = client.ask(op="clone")[0]["new-session"]
    assert session != other
    known = client.ask(op="ls-sessions")[0]["sessions"]
    assert session in known and other in known, known
    expect(client.ask(op="close", session=other)[0]["status"], ["done", "session-closed"])
    assert other not in client.ask(op="ls-sessions")[0]["sessions"]
    expect(client.ask(op="eval", code="1", session=other)[0]["status"], ["error", "unknown-session", "done"])
    return session


def evaluation(client, session):
    def ev(code, **more):
        return client.ask(op="eval", code=code, session=session, **more)

    expect(field(ev("(reduce + (range 20))"), "value"), ["190"])
    expect(field(ev("1 2 (inc *1)"), "value"), ["1", "2", "3"])
    expect(field(ev("[*1 *2 *3]"), "value"), ["[3 2 1]"])
    expect(field(ev("(in-ns 'riemann.config)"), "ns"), ["riemann.config"])
    expect(field(ev("(str *ns*)"), "value"), ['"riemann.config"'])
    expect(field(ev("(str *ns*)", ns="user"), "value"), ['"user"'])
    expect(field(ev("(in-ns 'user)"), "ns"), ["user"])
    printed = ev('(do (println "seen") (binding [*out* *err*] (print "told")) nil)')
    expect((field(printed, "out"), field(printed, "err"), field(printed, "value")), (["seen\n"], ["told"], ["nil"]))
    failed = ev("(+ 1\n   (/ 1 0))")
    expect(field(failed, "ex"), ["class java.lang.ArithmeticException"])
    expect(field(failed, "root-ex"), ["class java.lang.ArithmeticException"])
    expect([status for status in field(failed, "status")], [["eval-error"], ["done"]])
    assert "REPL:2:" in field(failed, "err")[0] and "Divide by zero" in field(failed, "err")[0], failed
    expect(field(ev("(.getMessage *e)"), "value"), ['"Divide by zero"'])
    expect(ev("1", ns="nowhere")[0]["status"], ["error", "namespace-not-found", "done"])
    expect(field(client.ask(op="eval", code="*1"), "value"), ["nil"])
    unread = ev("(+ 1")
    assert "EOF" in field(unread, "err")[0], unread


def files(client, session):
    loaded = client.ask(
        op="load-file",
        session=session,
        file="(ns loaded)\n\n(defn twice [x] (* 2 x))\n(twice 21)",
        file_path="src/loaded.clj",
        file_name="loaded.clj",
    )
    expect(field(loaded, "value"), ["42"])
    failed = client.ask(op="eval", session=session, code="(loaded/twice :a)")
    assert "src/loaded.clj:3:" in field(failed, "err")[0], failed
    info = client.ask(op="lookup", session=session, sym="loaded/twice")[0]["info"]
    expect((info["ns"], info["name"], info["arglists-str"], info["line"]), ("loaded", "twice", "([x])", 3))


def names(client, session):
    found = client.ask(op="completions", session=session, prefix="throt", ns="riemann.config")[0]
    expect(found["completions"], [{"candidate": "throttle", "type": "function"}])
    found = client.ask(op="complete", session=session, prefix="folds/std")[0]["completions"]
    expect([name["candidate"] for name in found], ["folds/std-dev"])
    info = client.ask(op="lookup", session=session, sym="while")[0]["info"]
    expect((info["ns"], info["macro"]), ("clojure.core", "true"))
    assert info["doc"], info
    expect(client.ask(op="lookup", session=session, sym="no-such-name")[0]["status"], ["done", "lookup-error"])


def interruption(client, session):
    running = client.send(op="eval", code='(do (println "began") (read-line) (deref (promise)))', session=session)
    message = client.connection.read()
    expect((message["id"], message["out"]), (running, "began\n"))
    expect(client.connection.read()["status"], ["need-input"])
    client.send(op="stdin", stdin="a line\n", session=session)
    client.connection.read()
    client.connection.write({"id": "i", "op": "interrupt", "interrupt-id": running, "session": session})
    expect(client.answers(running)[-1]["status"], ["done", "interrupted"])
    expect(client.answers("i")[-1]["status"], ["done"])
    expect(client.ask(op="interrupt", session=session)[0]["status"], ["done", "session-idle"])
    expect(field(client.ask(op="eval", code="(+ 1 1)", session=session), "value"), ["2"])
    # It does not only leave the code behind: that ends.
    client.ask(op="eval", code="(def ended (promise))", session=session)
    code = '(try (println "on") (loop [] (recur)) (finally (deliver ended :stopped)))'
    endless = client.send(op="eval", code=code, session=session)
    expect(client.connection.read()["out"], "on\n")
    client.connection.write({"id": "j", "op": "interrupt", "session": session})
    expect(client.answers(endless)[-1]["status"], ["done", "interrupted"])
    expect(client.answers("j")[-1]["status"], ["done"])
    expect(field(client.ask(op="eval", code="@ended", session=session), "value"), [":stopped"])
    reading = client.send(op="eval", code="(str (read-line) (read-line))", session=session)
    client.connection.read()
    client.send(op="stdin", stdin="one\ntwo\n", session=session)
    expect(field(client.answers(reading), "value"), ['"onetwo"'])


def server(client):
    known = client.ask(op="describe")[0]
    wanted = "clone close complete completions describe eval interrupt load-file lookup ls-sessions stdin"
    expect(sorted(known["ops"]), wanted.split())
    expect(known["aux"], {"current-ns": "user"})
    expect(client.ask(op="dance")[0]["status"], ["error", "unknown-op", "done"])
    # The running configuration, not a copy of it.
    client.ask(op="eval", code='(riemann.index/update (:index @riemann.config/core) {:host "repl" :service "seen" :time (unix-time)})')
    code = '(count (riemann.index/search (:index @core) (riemann.query/ast "host = \\"repl\\"")))'
    expect(field(client.ask(op="eval", code=code), "value"), ["1"])


def main(host, port):
    client = Client(host, port)
    server(client)
    session = sessions(client)
    evaluation(client, session)
    files(client, session)
    names(client, session)
    interruption(client, session)
    # A session outlives its connection.
    client.ask(op="eval", code="(def kept 7) kept", session=session)
    client.connection.close()
    again = Client(host, port)
    expect(field(again.ask(op="eval", code="(inc *1)", session=session), "value"), ["8"])


# A server that does not answer must not hold the tests up.
watchdog = threading.Timer(120, lambda: os._exit(3))
watchdog.daemon = True
watchdog.start()
main(*sys.argv[1:])
