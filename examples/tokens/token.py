# CARILLON_TOKEN_KEY=tk_… python3 token.py 42 'Ann Archer'
import base64, hmac, json, os, sys, time

key, now = os.environ["CARILLON_TOKEN_KEY"], int(time.time())
header = {"alg": "HS256", "kid": key.split(".")[0]}
claims = {"sub": sys.argv[1], "name": sys.argv[2], "aud": "carillon", "iat": now, "exp": now + 900}
encode = lambda data: base64.urlsafe_b64encode(data).rstrip(b"=")
signed = encode(json.dumps(header).encode()) + b"." + encode(json.dumps(claims).encode())
print((signed + b"." + encode(hmac.digest(key.encode(), signed, "sha256"))).decode())
