"""An API that reads what three services answer by a model of pydantic, in three ways."""

import json
import os
import urllib.request
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Literal, Optional

import orjson
from pydantic import AliasChoices, BaseModel, Field, ValidationError


class Price(BaseModel):
    amount: float
    currency: Literal["EUR", "SEK"]


class Offer(BaseModel):
    title: str = Field(alias="fullTitle")
    prices: list[Price]
    left: Optional[int] = None
    seats: bool = Field(False, validation_alias=AliasChoices("seats", "hasSeats"))


WAYS = {
    "/validate": lambda raw: Offer.model_validate(orjson.loads(raw)),
    "/json": Offer.model_validate_json,
    "/init": lambda raw: Offer(**json.loads(raw)),
}


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        status, body = 200, {}
        if self.path in WAYS:
            try:
                with urllib.request.urlopen(f"http://{self.path[1:]}.example.com/offer") as answer:
                    body = WAYS[self.path](answer.read()).model_dump()
            except (OSError, ValidationError, TypeError, ValueError):
                status, body = 502, {"error": "no offer"}
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


HTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()
