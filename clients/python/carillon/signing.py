"""Tokens of users, and the signatures of webhooks and receipts."""

from __future__ import annotations

import base64
import hmac
import json
import time
from collections.abc import Iterable, Mapping
from typing import Any


class InvalidWebhook(Exception):
    """A message that Carillon did not sign, that was changed, or that is too old."""


class InvalidReceipt(Exception):
    """A text that is no receipt of these keys."""


def user_token(key: str, user: str, name: str | None = None, lifetime: int = 900, **claims: Any) -> str:
    """Sign a token that says who is signed in to your application, for the elements of its pages.

    ``key`` is the CARILLON_TOKEN_KEY of the app, ``user`` the user's id in your application, and ``name`` what people
    call them. ``lifetime`` is in seconds.
    """
    now = int(time.time())
    header = {"alg": "HS256", "kid": key.split(".")[0]}
    claims = {"sub": user, "aud": "carillon", "iat": now, "exp": now + lifetime, **claims}
    if name is not None:
        claims["name"] = name
    signed = _encode(json.dumps(header).encode()) + "." + _encode(json.dumps(claims).encode())
    return signed + "." + _encode(hmac.digest(key.encode(), signed.encode(), "sha256"))


def verify_webhook(secrets: str | Iterable[str], headers: Mapping[str, str], body: bytes, tolerance: int = 300) -> dict[str, Any]:
    """Return the event of a webhook's message, or raise InvalidWebhook.

    ``secrets`` is what ``carillon hook add`` printed; give the old and the new one while they are rotated. ``body`` is the
    body exactly as it was received. ``tolerance`` is in seconds.
    """
    given = {name.lower(): value for name, value in headers.items()}
    id, sent, signatures = (given.get("webhook-" + name, "") for name in ("id", "timestamp", "signature"))
    if not id or not (sent.isascii() and sent.isdigit()):
        raise InvalidWebhook("the headers webhook-id and webhook-timestamp are missing")
    if abs(time.time() - int(sent)) > tolerance:
        raise InvalidWebhook(f"the message is more than {tolerance} seconds old, or the clock is wrong")
    signed = f"{id}.{sent}.".encode() + body
    for secret in [secrets] if isinstance(secrets, str) else secrets:
        key = base64.b64decode(secret.removeprefix("whsec_"))
        want = b"v1," + base64.b64encode(hmac.digest(key, signed, "sha256"))
        if any(hmac.compare_digest(want, one.encode()) for one in signatures.split(" ")):
            return json.loads(body)
    raise InvalidWebhook("no signature is valid")


def verify_receipt(receipt: str, keys: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a receipt proves, or raise InvalidReceipt. ``keys`` is the answer of ``Carillon.receipt_keys``.

    Python's standard library has no Ed25519, so this needs the package ``cryptography``.
    """
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        head, payload, signature = receipt.strip().split(".")
        header = json.loads(_decode(head))
        if header.get("alg") != "EdDSA":
            raise InvalidReceipt("the receipt is not signed with Ed25519")
        for key in keys.get("keys", []):
            if key.get("kid") == header.get("kid") and key.get("kty") == "OKP" and key.get("crv") == "Ed25519":
                Ed25519PublicKey.from_public_bytes(_decode(key["x"])).verify(_decode(signature), f"{head}.{payload}".encode())
                return json.loads(_decode(payload))
    except (ValueError, AttributeError, InvalidSignature) as e:
        raise InvalidReceipt("the receipt is not valid") from e
    raise InvalidReceipt("the receipt was signed with an unknown key")


def _encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _decode(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
