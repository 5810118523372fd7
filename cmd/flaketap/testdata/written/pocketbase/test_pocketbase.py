"""PocketBase with posts and comments, as it answered when I tried it."""

import os

import pytest
import requests

BASE = os.environ.get("FLAKETAP_URL", "http://127.0.0.1:8090").rstrip("/")
USERS = BASE + "/api/collections/users"
POSTS = BASE + "/api/collections/posts/records"
COMMENTS = BASE + "/api/collections/comments/records"


def sign_up(name):
    account = {
        "name": name,
        "email": f"{name.lower()}@example.com",
        "password": "lovelace1815",
        "passwordConfirm": "lovelace1815",
    }
    return requests.post(USERS + "/records", json=account)


def log_in(name):
    credentials = {"identity": f"{name.lower()}@example.com", "password": "lovelace1815"}
    return requests.post(USERS + "/auth-with-password", json=credentials)


@pytest.fixture
def ada():
    return log_in("Ada").json()


@pytest.fixture
def headers(ada):
    return {"Authorization": ada["token"]}


@pytest.fixture
def post(ada, headers):
    fields = {"title": "On engines", "views": 3, "author": ada["record"]["id"]}
    response = requests.post(POSTS, json=fields, headers=headers)
    return response.json()


def test_health():
    response = requests.get(BASE + "/api/health")
    assert response.status_code == 200
    assert response.json() == {"message": "API is healthy.", "code": 200, "data": {}}
    assert response.headers["Date"] == "Sun, 22 Nov 2026 18:02:11 GMT"


def test_auth_methods(snapshot):
    assert requests.get(USERS + "/auth-methods").json() == snapshot


def test_sign_up():
    response = sign_up("Ada")
    assert response.status_code == 200
    user = response.json()
    assert user["id"] == "vdcxj2lffbogqx1"
    assert user["name"] == "Ada"
    assert user["collectionName"] == "users"
    assert user["created"] == "2026-11-22 18:02:11.429Z"
    assert user["updated"] == user["created"]
    assert user["verified"] is False


def test_sign_up_in_a_snapshot(snapshot):
    assert sign_up("Bob").json() == snapshot


def test_sign_up_twice():
    response = sign_up("Ada")
    assert response.status_code == 400
    error = response.json()
    assert error["message"] == "Failed to create record."
    assert error["data"]["email"]["code"] == "validation_not_unique"


def test_log_in():
    response = log_in("Ada")
    assert response.status_code == 200
    body = response.json()
    assert body["record"]["email"] == "ada@example.com"
    assert body["record"]["id"] == "vdcxj2lffbogqx1"
    assert body["token"].startswith("eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.")
    assert len(body["token"]) == 224


def test_wrong_password():
    response = requests.post(
        USERS + "/auth-with-password", json={"identity": "ada@example.com", "password": "byron"}
    )
    assert response.status_code == 400
    assert response.json() == {"data": {}, "message": "Failed to authenticate.", "status": 400}


def test_refresh(headers):
    response = requests.post(USERS + "/auth-refresh", headers=headers)
    assert response.status_code == 200
    assert response.json()["record"]["name"] == "Ada"


def test_write(post):
    assert post["id"] == "760xj1ek1mpom3k"
    assert post["title"] == "On engines"
    assert post["views"] == 3
    assert post["author"] == "vdcxj2lffbogqx1"
    assert post["collectionId"] == "pbc_1125843985"
    assert post["created"] == "2026-11-22 18:02:12.801Z"


def test_read(post, snapshot):
    response = requests.get(f"{POSTS}/{post['id']}")
    assert response.status_code == 200
    assert response.json() == snapshot


def test_read_with_author(post):
    body = requests.get(f"{POSTS}/{post['id']}", params={"expand": "author"}).json()
    author = body["expand"]["author"]
    assert author["name"] == "Ada"
    assert author["id"] == "vdcxj2lffbogqx1"
    assert body["author"] == author["id"]


def test_blank_title(ada, headers):
    response = requests.post(POSTS, json={"title": "", "author": ada["record"]["id"]}, headers=headers)
    assert response.status_code == 400
    assert response.json()["data"]["title"] == {"code": "validation_required", "message": "Cannot be blank."}


def test_without_token():
    response = requests.post(POSTS, json={"title": "On engines", "author": "vdcxj2lffbogqx1"})
    assert response.status_code == 400
    assert response.json()["message"] == "Failed to create record."


def test_change(post, headers):
    response = requests.patch(f"{POSTS}/{post['id']}", json={"title": "On looms", "views+": 1}, headers=headers)
    assert response.status_code == 200
    changed = response.json()
    assert changed["title"] == "On looms"
    assert changed["views"] == 4
    assert changed["updated"] == "2026-11-22 18:02:13.117Z"


def test_comment(ada, post, headers):
    fields = {"text": "Well said.", "post": post["id"], "author": ada["record"]["id"]}
    made = requests.post(COMMENTS, json=fields, headers=headers)
    assert made.status_code == 200
    comment = made.json()
    assert comment["id"] == "q0v5b1w3h9tt2ds"
    assert comment["text"] == "Well said."
    found = requests.get(COMMENTS, params={"filter": f"post='{post['id']}'"}).json()
    assert found["totalItems"] == 1
    assert found["items"][0]["text"] == "Well said."
    assert found["items"][0]["id"] == "q0v5b1w3h9tt2ds"


def test_list():
    page = requests.get(POSTS, params={"sort": "title", "perPage": 2}).json()
    assert page["page"] == 1
    assert page["perPage"] == 2
    assert page["totalItems"] == 5
    assert page["totalPages"] == 3
    assert [item["title"] for item in page["items"]] == ["On engines", "On engines"]


def test_delete(post, headers):
    gone = requests.delete(f"{POSTS}/{post['id']}", headers=headers)
    assert gone.status_code == 204
    assert gone.text == ""
    again = requests.get(f"{POSTS}/{post['id']}")
    assert again.status_code == 404
    assert again.json()["message"] == "The requested resource wasn't found."


def test_collections_are_for_superusers():
    response = requests.get(BASE + "/api/collections")
    assert response.status_code == 401
    assert response.json()["message"] == "The request requires valid record authorization token."
