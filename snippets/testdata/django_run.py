# Calls the endpoint without and with a user, in Django if that is installed.
import importlib.util, json, os, sys, types

try:
    from django.conf import settings
    settings.configure()
except ImportError:
    class Response:
        def __init__(self, data=None, status=200, headers=None):
            self.status_code, self.content = status, json.dumps(data).encode()
    django, http = types.ModuleType("django"), types.ModuleType("django.http")
    http.HttpResponse = lambda status: Response(status=status)
    http.JsonResponse = lambda data, headers: Response(data, headers=headers)
    sys.modules["django"], sys.modules["django.http"] = django, http

spec = importlib.util.spec_from_file_location("snippet", sys.argv[1])
snippet = importlib.util.module_from_spec(spec)
spec.loader.exec_module(snippet)


class User:
    def __init__(self, pk):
        self.pk, self.is_authenticated = pk, pk is not None

    def get_full_name(self):
        return os.environ["NAME"]


ask = lambda pk: snippet.carillon_token(types.SimpleNamespace(user=User(pk)))
print(ask(None).status_code)
print(ask(42).content.decode())
