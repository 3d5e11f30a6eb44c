import os
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent

# The address of Carillon: a separate URL, or a path of this host (see ../nginx-django).
CARILLON = os.environ.get("CARILLON_AT", "http://127.0.0.1:8080")

SECRET_KEY = os.environ.get("SECRET_KEY", "only for this example")
DEBUG = True
ALLOWED_HOSTS = ["127.0.0.1", "localhost"]
ROOT_URLCONF = "shop.urls"
INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "shop",
]
MIDDLEWARE = [
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "shop.views.policy",
]
TEMPLATES = [{
    "BACKEND": "django.template.backends.django.DjangoTemplates",
    "APP_DIRS": True,
    "OPTIONS": {"context_processors": ["django.contrib.auth.context_processors.auth", "django.template.context_processors.request", "shop.views.carillon"]},
}]
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": os.environ.get("SHOP_DATABASE", HERE / "shop.db")}}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
STATIC_URL = "/static/"
USE_TZ = True
LOGIN_URL = LOGOUT_REDIRECT_URL = "/login"
LOGIN_REDIRECT_URL = "/"
