"""An SMTP server that prints what it receives, a line of JSON each.

Arguments: plain | starttls | tls, and then the files of certificate and key. With TLS of either
kind a login as user/pass is required.
"""

import asyncio
import json
import ssl
import sys

from aiosmtpd.smtp import SMTP, AuthResult


class Printer:
    async def handle_DATA(self, server, session, envelope):
        print(json.dumps({
            "from": envelope.mail_from,
            "to": envelope.rcpt_tos,
            "data": envelope.content.decode(),
            "tls": session.ssl is not None or mode == "tls",
            "login": bool(session.authenticated),
        }), flush=True)
        return "250 OK"

    async def handle_RCPT(self, server, session, envelope, address, options):
        if address == "nobody@localhost":
            return "550 no such user"
        envelope.rcpt_tos.append(address)
        return "250 OK"


def login(server, session, envelope, mechanism, data):
    return AuthResult(success=(data.login, data.password) == (b"user", b"pass"))


async def main():
    context = None
    if mode != "plain":
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[2], sys.argv[3])

    def session():
        if mode == "plain":
            return SMTP(Printer())
        return SMTP(
            Printer(),
            authenticator=login,
            auth_required=True,
            auth_require_tls=mode == "starttls",
            tls_context=context if mode == "starttls" else None,
            require_starttls=mode == "starttls",
        )

    loop = asyncio.get_running_loop()
    server = await loop.create_server(
        session, "127.0.0.1", 0, ssl=context if mode == "tls" else None
    )
    print("port=%d" % server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


mode = sys.argv[1]
asyncio.run(main())
