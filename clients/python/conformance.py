"""Makes the calls that it reads from standard input, one JSON object a line, for the test of all clients."""

import json
import sys

import carillon

client = carillon.Carillon()


def verify_webhook(secrets, headers, body):
    return carillon.verify_webhook(secrets, headers, body.encode())


def user_token(key, user, name):
    return carillon.user_token(key, user, name=name)


others = {"verify_webhook": verify_webhook, "verify_receipt": carillon.verify_receipt, "user_token": user_token}

for line in sys.stdin:
    call = json.loads(line)
    name = call["call"]
    try:
        answer = {"result": (others.get(name) or getattr(client, name))(*call["args"])}
    except carillon.CarillonError as e:
        answer = {"status": e.status, "code": e.code, "fields": [field["location"] for field in e.errors]}
    except (carillon.InvalidWebhook, carillon.InvalidReceipt):
        answer = {"invalid": True}
    print(json.dumps(answer), flush=True)
