import socket
import threading

import pytest
import requests
from werkzeug.serving import make_server

from notes_app import create_app


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


@pytest.fixture(scope="session")
def live_server():
    port = free_port()
    server = make_server("127.0.0.1", port, create_app(testing=True))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{port}"
    server.shutdown()


@pytest.fixture
def client(live_server):
    session = requests.Session()
    session.headers["X-User"] = "tester"
    original = session.request

    def request(method, path, **kwargs):
        return original(method, live_server + path, **kwargs)

    session.request = request
    return session


@pytest.fixture
def make_note(client):
    def _make(title="Shopping", body="milk"):
        return client.post("/notes", json={"title": title, "body": body}).json()

    return _make
