"""Calls of the API for applications, which are repeated safely after a failure."""

from __future__ import annotations

import http.client
import json
import os
import random
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from typing import Any

from .types import Accepted, Ask, Badge, FieldError, Notice, NoticeState, Question, Rehearsal, Result, User, UserChange, Why

# What may succeed a moment later: too many requests, and a server or proxy that is away.
_TEMPORARY = {429, 500, 502, 503, 504}
_LONGEST_PAUSE = 60.0  # seconds; a longer Retry-After is the caller's to wait for


class CarillonError(Exception):
    """A call that failed.

    ``status`` is the HTTP status, or 0 if there was no response. ``code`` identifies the error for programs, and
    ``errors`` lists the invalid fields. ``retry_after`` is in seconds, or None.
    """

    def __init__(self, message: str, status: int = 0, problem: dict[str, Any] | None = None, retry_after: float | None = None):
        super().__init__(message)
        problem = problem or {}
        self.status = status
        self.code: str = problem.get("code", "")
        self.errors: list[FieldError] = problem.get("errors") or []
        self.retry_after = retry_after


class Carillon:
    """A client of one server, with an API key. It may be used by several threads.

    Without arguments it takes CARILLON_URL and CARILLON_API_KEY from the environment. ``timeout`` is the time to
    wait for a response in seconds, and ``retries`` how often a call is repeated after a failure that may pass.
    """

    def __init__(self, url: str | None = None, key: str | None = None, timeout: float = 30, retries: int = 4):
        self._url = (url or os.environ["CARILLON_URL"]).rstrip("/") + "/api/v1"
        self._key = key or os.environ["CARILLON_API_KEY"]
        self._timeout = timeout
        self._retries = retries

    def send(self, notice: Notice, idempotency_key: str | None = None) -> Accepted:
        """Send a notice. Once it returns, the notice is stored and will be delivered.

        Repetitions of the call by the client send nothing twice. Give a key of your own, such as the id of a job, if your
        program may repeat the call as well.
        """
        return self._call("POST", "/notices", notice, idempotency_key or str(uuid.uuid4()))

    def dry_run(self, notice: Notice) -> Rehearsal:
        """Return who would get a notice if it were sent now, and send nothing."""
        return self._call("POST", "/notices?dry_run=1", notice)

    def send_all(self, notices: list[Notice], idempotency_key: str | None = None) -> list[Result]:
        """Send up to 1,000 notices. The results are in the same order; a refused notice has ``error``."""
        return self._call("POST", "/notices/batch", {"notices": notices}, idempotency_key or str(uuid.uuid4()))["results"]

    def notice(self, id: int) -> NoticeState:
        """Return a notice, and how far its delivery and reading are."""
        return self._call("GET", f"/notices/{id}")

    def why(self, id: int, user: str) -> Why:
        """Return why a user got a notice, or did not."""
        return self._call("GET", f"/notices/{id}/why?user={_quote(user)}")

    def retract(self, id: int) -> None:
        """Remove a notice from all inboxes."""
        self._call("DELETE", f"/notices/{id}")

    def ask(self, question: Question, idempotency_key: str | None = None) -> Accepted:
        """Ask people. ``wait`` returns what they chose."""
        return self._call("POST", "/asks", question, idempotency_key or str(uuid.uuid4()))

    def wait(self, id: int, timeout: float | None = None) -> Ask:
        """Wait for the end of a question, for ``timeout`` seconds or, without one, as long as it takes.

        The question that it returns is open if the time was too short.
        """
        until = None if timeout is None else time.monotonic() + timeout
        while True:
            left = 55.0 if until is None else max(0.0, until - time.monotonic())
            asked = self._call("GET", f"/asks/{id}?wait={int(min(left, 55) + 0.999)}", timeout=self._timeout + 60)
            if asked["state"] != "open" or (until is not None and time.monotonic() >= until):
                return asked

    def withdraw(self, id: int) -> None:
        """End an open question without an outcome."""
        try:
            self._call("DELETE", f"/asks/{id}")
        except CarillonError as e:
            # An earlier try may have withdrawn it, and its response was lost.
            if e.code != "ask_ended" or self._call("GET", f"/asks/{id}")["state"] != "withdrawn":
                raise

    def put_user(self, name: str, change: UserChange | None = None) -> User:
        """Create a user, or change what ``change`` names."""
        return self._call("PUT", "/users/" + _quote(name), change or {})

    def user(self, name: str) -> User:
        """Return a user."""
        return self._call("GET", "/users/" + _quote(name))

    def delete_user(self, name: str) -> None:
        """Delete a user and what was sent to them alone. It is no error if there is no such user."""
        try:
            self._call("DELETE", "/users/" + _quote(name))
        except CarillonError as e:
            if e.status != 404:
                raise

    def badge(self, name: str) -> Badge:
        """Return the numbers of a user's bell."""
        return self._call("GET", f"/users/{_quote(name)}/badge")

    def receipt_keys(self) -> dict[str, Any]:
        """Return the keys for ``verify_receipt``. Keep them for some hours; they change seldom."""
        return self._call("GET", "/receipts/jwks.json")

    def _call(self, method: str, path: str, body: Any = None, once: str | None = None, timeout: float | None = None) -> Any:
        headers = {"Authorization": "Bearer " + self._key, "Accept": "application/json"}
        if once is not None:
            headers["Idempotency-Key"] = once
        data = None
        if body is not None:
            headers["Content-Type"] = "application/json"
            data = json.dumps(body).encode()
        request = urllib.request.Request(self._url + path, data, headers, method=method)
        for n in range(self._retries + 1):
            try:
                with _OPENER.open(request, timeout=timeout or self._timeout) as response:
                    text = response.read()
                return json.loads(text) if text else None
            except urllib.error.HTTPError as e:
                with e:
                    failure = _refused(e)
            except (OSError, http.client.HTTPException, ValueError) as e:  # no response, half of one, or not JSON
                failure = CarillonError(f"{method} {path}: {e}")
            pause = failure.retry_after
            if pause is None:
                pause = 0.5 * 2**n * random.uniform(0.8, 1.2)
            if failure.status not in _TEMPORARY | {0} or n == self._retries or pause > _LONGEST_PAUSE:
                raise failure
            time.sleep(pause)


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirect would take the API key to another address."""

    def redirect_request(self, *_: Any) -> None:
        return None


_OPENER = urllib.request.build_opener(_NoRedirects)


def _quote(name: str) -> str:
    return urllib.parse.quote(name, safe="")


def _refused(e: urllib.error.HTTPError) -> CarillonError:
    try:
        problem = json.loads(e.read())
    except (OSError, http.client.HTTPException, ValueError):
        problem = None
    if not isinstance(problem, dict):
        problem = {}  # the answer of a proxy
    message = f"{e.code} {problem.get('detail') or problem.get('title') or e.reason}"
    for field in problem.get("errors") or []:
        message += f"; {field.get('location', '')}: {field.get('message', '')}"
    after = e.headers.get("Retry-After", "")
    return CarillonError(message, e.code, problem, float(after) if after.isdigit() else None)
