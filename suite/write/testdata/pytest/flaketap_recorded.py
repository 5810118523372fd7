"""Where the recording was made, and the values that its answers gave."""

from flaketap_client import secret

TARGET = "http://127.0.0.1:8080"

BOUND = {
    "token": lambda: secret("ANN_TOKEN"),  # POST /login /body/token
    "orderId": "17",  # POST /orders /body/id
    "etag": '"v1"',  # POST /orders /header/etag
}


def headers():
    """What goes with each request."""
    return []
