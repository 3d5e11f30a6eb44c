# In urls.py: path("carillon/token", carillon_token)
import base64, hmac, json, os, time

from django.http import HttpResponse, JsonResponse


def carillon_token(request):
    user = request.user
    if not user.is_authenticated:
        return HttpResponse(status=401)
    key, now = os.environ["CARILLON_TOKEN_KEY"], int(time.time())
    header = {"alg": "HS256", "kid": key.split(".")[0]}
    claims = {"sub": str(user.pk), "name": user.get_full_name(), "aud": "carillon", "iat": now, "exp": now + 900}
    encode = lambda data: base64.urlsafe_b64encode(data).rstrip(b"=")
    signed = encode(json.dumps(header).encode()) + b"." + encode(json.dumps(claims).encode())
    token = signed + b"." + encode(hmac.digest(key.encode(), signed, "sha256"))
    return JsonResponse({"token": token.decode()}, headers={"Cache-Control": "no-store"})
