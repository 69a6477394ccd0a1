"""MCP inside a Flask site: ``flask --app flask_site run``, then connect to http://127.0.0.1:5000/mcp.

The tools use the site's database and configuration. Callers log in as on every page of the site, with an API key.
"""

from __future__ import annotations

import hashlib
import sqlite3
from contextlib import closing

from flask import Flask, current_app, g, jsonify, request
from mcp_bindings import v2026_07_28 as mcp
from werkzeug.exceptions import Unauthorized
from werkzeug.wrappers import Response

app = Flask(__name__)
app.config["DATABASE"] = "orders.db"
app.config["API_KEYS"] = {hashlib.sha256(b"ada's key").hexdigest(): "ada"}


def orders_of(user: str) -> list[str]:
    """Return the orders of a user; needs the application's context."""
    with closing(sqlite3.connect(current_app.config["DATABASE"])) as database:
        return [item for (item,) in database.execute("SELECT item FROM orders WHERE user = ?", [user])]


@app.before_request
def log_in() -> None:
    """Set the user of a request; refuse requests without a key, those of the MCP endpoint included."""
    token = (request.authorization and request.authorization.token) or ""
    g.user = current_app.config["API_KEYS"].get(hashlib.sha256(token.encode()).hexdigest())
    if g.user is None:
        raise Unauthorized


@app.get("/orders")
def orders() -> Response:
    """Show the user's orders."""
    return jsonify(orders_of(g.user))


server = mcp.Server("shop", "1.0")


@server.tool
def list_orders(context: mcp.Context) -> list[str]:
    """List the caller's orders."""
    assert context.principal is not None  # the endpoint requires a user
    # A tool runs in a thread of its own, outside the request of Flask.
    with app.app_context():
        return orders_of(context.principal)


mcp_app = server.wsgi_app(path="/mcp", require_user=True)


@app.route("/mcp", methods=["GET", "POST", "DELETE"])
def mcp_endpoint() -> Response:
    """Pass the request on with its user, who is `context.principal` in the tools."""
    return Response.from_app(mcp_app, {**request.environ, "REMOTE_USER": g.user})
