"""Made by flaketap from a recording. Each test runs by itself: it creates what it needs."""

from flaketap_checks import at, has_digest, has_items, holds, like, masked, related, text_at, texts_at
from flaketap_client import as_json, in_json, in_path, in_query, secret


def test_post_orders_gives_201(api, bound, post_login):
    """POST /orders gives 201
    it's 'quoted' / and */ $ended
    """
    try:
        # POST /orders
        res = api.send(
            "POST",
            f"/orders?by={in_query(bound['token'])}",
            headers=[
                ("Authorization", f"Bearer {bound['token']}"),
                ("Content-Type", "application/json"),
                ("X-Odd", "a\tb é"),
            ],
            body="".join(
                [
                    '{"ref": ',
                    as_json(bound["orderId"]),
                    ', "note": "<',
                    in_json(bound["etag"]),
                    '>", "$x": "`${y}` é\\n"}',
                ]
            ),
            chunked=True,
        )
        bound.take("orderId", res, "/body/id")
        bound.take("etag", res, "/header/etag")
        assert res.status == 201
        assert res.headers["content-type"] == "application/json"
        assert res.headers.all("x-twice") == ["a", f"b {secret('secret:0123456789ab')}"]
        assert "sid" in res.cookies
        # /header/location: State, moved in 9 of 10
        assert text_at(res, "/header/location") == f"http://{res.host}/orders/{bound['orderId']}"
        # /header/x-end: State, moved in 9 of 10
        assert text_at(res, "/header/x-end").endswith(f"/{bound['orderId']}")
        assert masked(res.json(), "/lines/*/at", absent=["/hint"]) == {
            "id": like(text=bound["orderId"]),  # State, moved in 9 of 10
            "big": 9007199254740993,
            "price": 12.10,
            "a/b~": [True, None, "é"],
            "lines": [{"n": 1, "at": ...}],
            "": {},
        }
        # /body/lines/*/at: Time, moved in 10 of 10
        holds(res, "/body/lines/*/at", "string", format="rfc3339", near=(res.now, 61), optional=True)
        # /body/made: Time, moved in 10 of 10; this close to its answer in 17 of 17
        holds(res, "/body/made", "string", format="rfc3339", near=(res.now, 2))
        # /body/until: Time, moved in 10 of 10; this close to its answer in 17 of 17
        holds(res, "/body/until", "null|integer", near=(res.now + 300, 10))
        # /body/hint: Rand, moved in 3 of 10
        holds(res, "/body/hint", "null|string", pattern='a\\d+\\.b"', optional=True)
        assert related(res, "sum", "/body/total", "/body/net", "/body/tax")
        # /body/version: in 17 of 17
        assert related(res, "sum", "/body/version", f"={bound['orderId']}", "=1")
        # /header/etag: in 17 of 17
        assert related(res, "other", "/header/etag", f"={bound['etag']}")
        # /header/etag: so in 17 of 17
        assert has_digest(res, "/header/etag", "md5", "/body")
        # /body/seal: so in 17 of 17
        assert has_digest(res, "/body/seal", "sha256", f"={bound['orderId']}", digits=32)
        # /body/lines: so in 17 of 17
        assert related(res, "unique", "/body/lines", "/body/lines/*/n")
        assert related(res, "ascending", "/body/lines", "/body/lines/*/n")
        # /body/lines: State, follows what was sent before
        assert has_items(masked(at(res.json(), "/lines"), "/*/at"), {"n": 1, "at": ...}, {"n": 2, "at": ...})
        assert bound["orderId"] in texts_at(res, "/body/lines/*/of")
    finally:
        # Clean-up: DELETE /orders/{id}
        if bound.given("orderId"):
            api.send(
                "DELETE",
                f"/orders/{in_path(bound['orderId'])}",
                headers=[("Authorization", f"Bearer {bound['token']}")],
            )
