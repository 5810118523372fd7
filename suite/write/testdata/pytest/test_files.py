"""Made by flaketap from a recording. Each test runs by itself: it creates what it needs."""

from flaketap_checks import sha256
from flaketap_client import from_base64, in_path, secret


def test_post_files_gives_204(api, bound):
    """POST /files gives 204."""
    try:
        # POST /files
        res = api.send(
            "POST",
            "/files",
            headers=[("Content-Type", "application/octet-stream")],
            body=b'\xff\xfe\x00\n"',
        )
        assert res.status == 204
        assert res.body == b""

        # POST /files
        res = api.send("POST", "/files", body=from_base64(secret("POST_FILES_BODY")))
        assert len(res.body) == 3
        assert sha256(res.body) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

        # GET /files/{name} is left out: it was not recorded in full.

        # GET /text
        res = api.send("GET", "/text")
        bound.find("orderId", res, "/body/items/0/id")
        assert res.status == 200
        assert res.text == 'it\'s "plain"\n' + secret("ANN_TOKEN")

        # DELETE /orders/{id}
        res = api.send("DELETE", f"/orders/{in_path(bound['orderId'])}")
        bound.gone("orderId", res)
        assert res.status == 204
    finally:
        # Clean-up: DELETE /orders/{id}
        if bound.given("orderId"):
            api.send("DELETE", f"/orders/{in_path(bound['orderId'])}")
