from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render

ORDERS = {7: "A brass ship's bell", 8: "Forty metres of rope"}


@login_required
def orders(request):
    return render(request, "orders.html", {"orders": ORDERS.items()})


@login_required
def order(request, number):
    return render(request, "order.html", {"number": number, "what": ORDERS.get(number, "Something else")})


@login_required
def messages(request):
    return render(request, "messages.html")


def whoami(request):
    """Tells the proxy of ../nginx-django who is signed in."""
    if not request.user.is_authenticated:
        return HttpResponse(status=401)
    groups = ",".join(["support"] if request.user.is_staff else [])
    return HttpResponse(status=204, headers={"X-User": str(request.user.pk), "X-Name": request.user.get_full_name(), "X-Groups": groups})


def policy(get_response):
    """Sends the strictest policy under which the elements work."""
    at = settings.CARILLON + "/" if "://" in settings.CARILLON else ""
    value = (
        f"default-src 'none'; style-src 'self'; script-src 'self' {at}; connect-src 'self' {at}; form-action 'self'; "
        "base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"
    )

    def middleware(request):
        response = get_response(request)
        response["Content-Security-Policy"] = value
        return response

    return middleware


def carillon(request):
    """Gives templates the address of Carillon, where the inbox is, and where tokens come from: a path of this host needs none."""
    if "://" in settings.CARILLON:
        return {"carillon": settings.CARILLON, "carillon_inbox": "/messages", "carillon_token": "/carillon/token"}
    return {"carillon": settings.CARILLON, "carillon_inbox": settings.CARILLON + "/inbox"}
