# Receives webhooks: SECRET=whsec_… python3 webhook_receiver.py
import base64, hashlib, hmac, json, os, time
from http.server import BaseHTTPRequestHandler, HTTPServer

KEY = base64.b64decode(os.environ["SECRET"].removeprefix("whsec_"))
seen = set()  # in a real receiver: a table with a unique column, written with what the event changes

def is_genuine(headers, body):
    id, sent_at, signatures = (headers.get(f"webhook-{name}", "") for name in ("id", "timestamp", "signature"))
    if not sent_at.isdigit() or abs(time.time() - int(sent_at)) > 300:
        return False  # an old request, sent again by someone else
    digest = hmac.new(KEY, f"{id}.{sent_at}.".encode() + body, hashlib.sha256).digest()
    expected = "v1," + base64.b64encode(digest).decode()
    return any(hmac.compare_digest(each.encode(), expected.encode()) for each in signatures.split(" "))

class Receiver(BaseHTTPRequestHandler):
    timeout = 20  # seconds; without it, a sender that goes quiet holds up all others

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        genuine, id = is_genuine(self.headers, body), self.headers.get("webhook-id")
        if genuine and id not in seen:
            print(json.loads(body)["type"], id, flush=True)  # here: do something with it
            seen.add(id)
        self.send_response(204 if genuine else 401)
        self.end_headers()

    def log_message(self, *_):
        pass

server = HTTPServer(("127.0.0.1", int(os.environ.get("PORT", 8000))), Receiver)
print(f"listening on {server.server_port}", flush=True)
server.serve_forever()
