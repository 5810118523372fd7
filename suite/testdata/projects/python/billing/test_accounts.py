import json
import uuid

import requests
from assertpy import assert_that

from api_helpers import BASE_URL

HEADERS = {"Content-Type": "application/json", "Authorization": "Bearer test-token"}


def account_url(account_id=None):
    return f"{BASE_URL}/accounts" if account_id is None else f"{BASE_URL}/accounts/{account_id}"


def create_account(**overrides):
    body = {"owner": "zoe", "currency": "EUR", "limit": 500}
    body.update(overrides)
    return requests.post(account_url(), data=json.dumps(body), headers=HEADERS)


def test_create_account():
    response = create_account()
    assert response.status_code == 201
    account = response.json()
    assert account["owner"] == "zoe"
    assert account["balance"] == 0
    assert account["iban"][0:2] == "DE"
    assert uuid.UUID(account["id"])
    assert account["limits"]["daily"] == 500


def test_create_account_other_currency():
    account = create_account(currency="USD").json()
    assert_that(account["currency"]).is_equal_to("USD")
    assert_that(account["history"]).is_empty()


def test_deposit_and_withdraw():
    account_id = create_account().json()["id"]

    deposit = requests.post(account_url(account_id) + "/deposits", json={"amount": 120}, headers=HEADERS)
    assert deposit.status_code == 200
    assert deposit.json()["balance"] == 120

    withdrawal = requests.post(account_url(account_id) + "/withdrawals", json={"amount": 20}, headers=HEADERS)
    assert withdrawal.status_code == 200
    assert withdrawal.json()["balance"] == 100

    history = requests.get(account_url(account_id) + "/history", headers=HEADERS).json()
    assert len(history) == 2
    assert history[0]["kind"] == "deposit"
    assert history[1]["kind"] == "withdrawal"
    assert history[0]["amount"] == 120
    assert history[0]["at"] < history[1]["at"]
    assert sorted(h["amount"] for h in history) == [20, 120]


def test_overdraw():
    account_id = create_account().json()["id"]
    response = requests.post(account_url(account_id) + "/withdrawals", json={"amount": 501}, headers=HEADERS)
    assert response.status_code == 409
    assert response.reason == "Conflict"
    assert response.json()["error"] == {"code": "LIMIT", "message": "the daily limit is 500"}


def test_needs_a_token():
    response = requests.get(account_url())
    assert response.status_code == 401
    assert not response.json()["authenticated"]
    assert "Bearer" in response.headers["WWW-Authenticate"]


def test_logs_in():
    with requests.Session() as s:
        login = s.post(f"{BASE_URL}/login", json={"user": "zoe", "password": "pw"})
        assert login.status_code == 200
        assert login.json()["expiresIn"] == 3600
        assert "session" in s.cookies
        me = s.get(f"{BASE_URL}/me")
        assert me.json()["user"] == "zoe"
        assert me.json()["roles"] == ["owner", "viewer"]
        assert me.json()["lastLogin"] is not None
