# In your application: app.add_url_rule("/carillon/token", view_func=carillon_token)
import base64, hmac, json, os, time

from flask import jsonify, session


def carillon_token():
    if "user_id" not in session:  # with Flask-Login: not current_user.is_authenticated
        return "", 401
    key, now = os.environ["CARILLON_TOKEN_KEY"], int(time.time())
    header = {"alg": "HS256", "kid": key.split(".")[0]}
    claims = {"sub": str(session["user_id"]), "name": session["name"], "aud": "carillon", "iat": now, "exp": now + 900}
    encode = lambda data: base64.urlsafe_b64encode(data).rstrip(b"=")
    signed = encode(json.dumps(header).encode()) + b"." + encode(json.dumps(claims).encode())
    token = signed + b"." + encode(hmac.digest(key.encode(), signed, "sha256"))
    return jsonify(token=token.decode()), 200, {"Cache-Control": "no-store"}
