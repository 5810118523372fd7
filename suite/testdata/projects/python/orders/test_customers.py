import pytest
import requests

CUSTOMERS = "/customers"


@pytest.fixture
def customer(api):
    resp = api.post(CUSTOMERS, json={"name": "Ada Lovelace", "email": "ada@example.org", "tags": ["vip"]})
    assert resp.status_code == requests.codes.created
    data = resp.json()
    yield data
    api.delete(f"{CUSTOMERS}/{data['id']}")


class TestCustomers:
    def test_has_the_fields(self, customer):
        assert customer["name"] == "Ada Lovelace"
        assert customer["email"] == "ada@example.org"
        assert customer["tags"] == ["vip"]
        assert set(customer) == {"id", "name", "email", "tags", "createdAt"}
        assert isinstance(customer["id"], int)

    def test_get(self, api, customer):
        resp = api.get(f"{CUSTOMERS}/{customer['id']}")
        assert resp.status_code == requests.codes.ok
        got = resp.json()
        assert got["name"] == customer["name"]
        assert got.get("email") == "ada@example.org"
        assert got.get("phone") is None
        assert "vip" in got["tags"]
        assert "banned" not in got["tags"]

    def test_patch(self, api, customer):
        resp = api.session.patch(
            api.base_url + f"{CUSTOMERS}/{customer['id']}",
            json={"name": "Ada King"},
        )
        assert resp.status_code == 200, resp.text
        changed = resp.json()
        assert changed["name"] == "Ada King"
        assert changed["createdAt"] == customer["createdAt"]
        assert not changed.get("deleted")


@pytest.mark.parametrize(
    "payload, field, message",
    [
        ({"email": "x@example.org"}, "name", "is required"),
        ({"name": "X", "email": "nonsense"}, "email", "is not an email address"),
        pytest.param({"name": ""}, "name", "must not be empty", id="empty name"),
    ],
)
def test_validation(api, payload, field, message):
    resp = api.post(CUSTOMERS, json=payload)
    assert resp.status_code == 400
    errors = resp.json()["errors"]
    assert len(errors) == 1
    (error,) = errors
    assert error["field"] == field
    assert error["message"] == message


@pytest.mark.parametrize("page,size,count", [(1, 2, 2), (2, 2, 1)])
def test_pages(api, page, size, count):
    resp = api.get(CUSTOMERS, params={"page": page, "size": size})
    data = resp.json()
    assert resp.status_code == 200
    assert len(data["items"]) == count
    assert data["page"] == page
    assert data["total"] == 3
    assert resp.headers.get("X-Total-Count") == "3"
    assert resp.headers["Link"].startswith("<")


def test_delete_then_gone(api):
    created = api.post(CUSTOMERS, json={"name": "Temp", "email": "t@example.org"}).json()
    assert api.delete(f"{CUSTOMERS}/{created['id']}").status_code == 204
    assert api.get(f"{CUSTOMERS}/{created['id']}").status_code == 404
