# Calls the endpoint without and with a user, in Flask if that is installed.
import importlib.util, json, os, sys, types

try:
    import flask
except ImportError:
    flask = None
    stand_in = types.ModuleType("flask")
    stand_in.session, stand_in.jsonify = {}, lambda **members: json.dumps(members)
    sys.modules["flask"] = stand_in

spec = importlib.util.spec_from_file_location("snippet", sys.argv[1])
snippet = importlib.util.module_from_spec(spec)
spec.loader.exec_module(snippet)
user = {"user_id": 42, "name": os.environ["NAME"]}

if flask:
    app = flask.Flask("shop")
    app.secret_key = "secret"
    app.add_url_rule("/carillon/token", view_func=snippet.carillon_token)
    visitor = app.test_client()
    print(visitor.get("/carillon/token").status_code)
    with visitor.session_transaction() as session:
        session.update(user)
    print(json.dumps(visitor.get("/carillon/token").get_json()))
else:
    print(snippet.carillon_token()[1])
    stand_in.session.update(user)
    print(snippet.carillon_token()[0])
