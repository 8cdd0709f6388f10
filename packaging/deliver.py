"""Sends the same signed delivery twice and then with one byte changed; status 1 when an answer is not as it should be.

Arguments: port, webhook secret. Standard library only: it runs with whatever Python the machine has.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import http.client
import json
import sys

PATH = "/api/github/webhooks"


def main() -> int:
    port, secret = int(sys.argv[1]), sys.argv[2]
    issue = {"number": 1, "title": "A question", "body": "no panic", "user": {"login": "someone", "type": "User"}}
    body = json.dumps({"action": "opened", "issue": issue, "repository": {"full_name": "owner/name"}}).encode()
    signature = "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    answers = [post(port, sent, signature) for sent in (body, body, body.replace(b"no panic", b"no Panic"))]
    if answers != [202, 200, 403]:
        print(f"answered {answers}, not [202, 200, 403]", file=sys.stderr)
        return 1
    return 0


def post(port: int, body: bytes, signature: str) -> int:
    headers = {
        "Content-Type": "application/json",
        "X-GitHub-Event": "issues",
        "X-GitHub-Delivery": "11111111-2222-3333-4444-555555555555",
        "X-Hub-Signature-256": signature,
    }
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=20)) as connection:
        connection.request("POST", PATH, body, headers)
        return connection.getresponse().status


if __name__ == "__main__":
    sys.exit(main())
