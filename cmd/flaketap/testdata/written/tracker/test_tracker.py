import os

import pytest
import requests

URL = os.environ.get("FLAKETAP_URL", "http://127.0.0.1:8000").rstrip("/")


def login(email="grace@example.com", password="cobol1959"):
    return requests.post(f"{URL}/login", json={"email": email, "password": password})


@pytest.fixture
def auth():
    token = login().json()["token"]
    return {"Authorization": f"Bearer {token}"}


def test_register():
    r = requests.post(f"{URL}/users", json={"name": "Grace", "email": "grace@example.com", "password": "cobol1959"})
    assert r.status_code == 201
    assert r.json()["name"] == "Grace"
    assert r.json()["email"] == "grace@example.com"


def test_register_again():
    r = requests.post(f"{URL}/users", json={"name": "Grace", "email": "grace@example.com", "password": "cobol1959"})
    assert r.status_code == 409
    assert r.json() == {"error": "the email is taken"}


def test_login():
    r = login()
    assert r.status_code == 200
    assert r.json()["user"]["name"] == "Grace"


def test_login_wrong_password():
    r = login(password="fortran")
    assert r.status_code == 401
    assert r.json()["error"] == "wrong email or password"


def test_me(auth):
    r = requests.get(f"{URL}/me", headers=auth)
    assert r.status_code == 200
    assert r.json()["email"] == "grace@example.com"


def test_projects_empty(auth):
    r = requests.get(f"{URL}/projects", headers=auth)
    assert r.json() == {"total": 0, "items": []}


def test_create_project(auth):
    r = requests.post(f"{URL}/projects", json={"name": "Compiler"}, headers=auth)
    assert r.status_code == 201
    assert r.json()["id"] == 1
    assert r.json()["owner"] == "Grace"
    assert r.json()["archived"] is False


def test_create_project_twice(auth):
    r = requests.post(f"{URL}/projects", json={"name": "Compiler"}, headers=auth)
    assert r.status_code == 409


def test_read_project(auth):
    r = requests.get(f"{URL}/projects/1", headers=auth)
    assert r.status_code == 200
    assert r.json()["name"] == "Compiler"


def test_add_task(auth):
    r = requests.post(f"{URL}/projects/1/tasks", json={"title": "Parse", "points": 3}, headers=auth)
    assert r.status_code == 201
    assert r.json()["status"] == "open"
    assert r.json()["project"] == 1


def test_add_second_task(auth):
    r = requests.post(f"{URL}/projects/1/tasks", json={"title": "Emit", "points": 5}, headers=auth)
    assert r.status_code == 201
    assert r.json()["points"] == 5
    listed = requests.get(f"{URL}/projects/1/tasks", headers=auth).json()
    assert listed["total"] == 2
    assert [t["title"] for t in listed["items"]] == ["Parse", "Emit"]


def test_comment(auth):
    r = requests.post(f"{URL}/tasks/1/comments", json={"text": "By hand."}, headers=auth)
    assert r.status_code == 201
    assert r.json()["by"] == "Grace"


def test_read_comments(auth):
    r = requests.get(f"{URL}/tasks/1/comments", headers=auth)
    assert r.status_code == 200
    assert len(r.json()) == 1
    assert r.json()[0]["text"] == "By hand."


def test_finish_task(auth):
    r = requests.patch(f"{URL}/tasks/1", json={"status": "done"}, headers=auth)
    assert r.status_code == 200
    assert r.json()["status"] == "done"


def test_open_tasks(auth):
    r = requests.get(f"{URL}/projects/1/tasks", params={"status": "open"}, headers=auth)
    assert r.json()["total"] == 1
    assert r.json()["items"][0]["title"] == "Emit"


def test_stats(auth):
    r = requests.get(f"{URL}/stats", headers=auth)
    assert r.json() == {"projects": 1, "tasks": 2, "done": 1, "points": 3}


def test_delete_with_open_tasks(auth):
    r = requests.delete(f"{URL}/projects/1", headers=auth)
    assert r.status_code == 409
    assert r.json()["error"] == "it has open tasks"


def test_archive(auth):
    r = requests.patch(f"{URL}/projects/1", json={"archived": True}, headers=auth)
    assert r.status_code == 200
    assert r.json()["archived"] is True


def test_add_task_to_archived(auth):
    r = requests.post(f"{URL}/projects/1/tasks", json={"title": "Link"}, headers=auth)
    assert r.status_code == 409
    assert r.json()["error"] == "the project is archived"


def test_read_missing_task(auth):
    r = requests.get(f"{URL}/tasks/99", headers=auth)
    assert r.status_code == 404
