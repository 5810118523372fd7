import os
import time

import pytest
import requests

BASE = os.environ["FLAKETAP_URL"]


def make(of):
    made = requests.post(f"{BASE}/jobs", json={"of": of})
    assert made.status_code == 202
    return made.json()["id"]


def get_job(id):
    return requests.get(f"{BASE}/jobs/{id}")


def get_shelf(id):
    shelf = requests.get(f"{BASE}/shelf/{id}")
    shelf.raise_for_status()
    return shelf.json()


class Shop:
    def job(self, id):
        job = requests.get(f"{BASE}/jobs/{id}")
        job.raise_for_status()
        return job.json()


@pytest.fixture
def shop():
    return Shop()


def test_at_once():
    id = make("tea")
    job = requests.get(f"{BASE}/jobs/{id}")
    assert job.status_code == 200
    assert job.json()["state"] == "done"
    assert job.json()["total"] == 42
    assert job.json()["id"] == id


# The shop needs a moment.
def test_after_a_while():
    made = requests.post(f"{BASE}/jobs", json={"of": "tea"})

    time.sleep(0.2)  # until it is done

    job = requests.get(f"{BASE}/jobs/{made.json()['id']}")
    assert job.status_code == 200
    body = job.json()
    assert body["state"] == "done"
    assert body["total"] == 42


def test_mud_fails():
    id = make("mud")
    time.sleep(0.25)
    job = get_job(id)
    assert job.json()["state"] == "failed"


def test_of_a_shop(shop):
    id = make("tea")
    job = shop.job(id)
    assert job["state"] == "done"
    assert job["total"] == 42


def test_on_a_shelf():
    id = make("tea")
    shelf = get_shelf(id)
    assert shelf["of"] == "tea"


class TestInAClass:
    def test_in_one_line(self):
        id = make("tea")
        time.sleep(0.2)
        assert requests.get(f"{BASE}/jobs/{id}").json()["state"] == "done"
