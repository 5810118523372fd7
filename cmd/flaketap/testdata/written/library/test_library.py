"""The library's API, as it answered when I looked at it."""

import os

import pytest
import requests

BASE_URL = os.getenv("FLAKETAP_URL", "http://localhost:3000")


class Client:
    def __init__(self, base):
        self.base = base.rstrip("/")
        self.session = requests.Session()

    def get(self, path, **params):
        return self.session.get(self.base + path, params=params, timeout=5)

    def post(self, path, payload):
        return self.session.post(self.base + path, json=payload, timeout=5)


@pytest.fixture(scope="module")
def api():
    return Client(BASE_URL)


@pytest.fixture
def loan(api):
    """A loan of a book that nobody else has."""
    response = api.post("/loans", {"memberId": 7, "bookId": 5, "dueOn": "2026-12-14", "returned": False})
    assert response.status_code == 201
    return response.json()


def titles(books):
    return [book["title"] for book in books]


def test_settings(api):
    response = api.get("/settings")
    assert response.status_code == 200
    settings = response.json()
    assert settings["name"] == "Harbour Street Library"
    assert settings["currency"] == "EUR"
    assert settings["loanDays"] == 21
    assert settings["finePerDay"] == 0.25
    assert settings["openingHours"][0] == {"day": "Mon", "opens": "09:00", "closes": "18:00"}
    assert len(settings["openingHours"]) == 4
    assert settings["updatedAt"] == "2024-02-11T08:30:00Z"


def test_settings_headers(api):
    headers = api.get("/settings").headers
    assert headers["Content-Type"] == "application/json; charset=utf-8"
    assert headers["Content-Length"] == "486"
    assert headers["Etag"] == 'W/"1e6-w+OtrdyOVzYudUaAEmmz7vS4TRw"'
    assert headers["X-Powered-By"] == "Express"
    assert headers["Date"] == "Sun, 22 Nov 2026 17:12:40 GMT"


def test_book(api, snapshot):
    response = api.get("/books/1")
    assert response.ok
    assert response.json() == snapshot


def test_unknown_book(api):
    response = api.get("/books/999")
    assert response.status_code == 404
    assert response.json() == {}


def test_poetry(api):
    books = api.get("/books", genre="poetry").json()
    assert titles(books) == [
        "A Winter at Sea",
        "The Lighthouse Keeper's Accounts",
        "A History of Fog",
        "An Inventory of Storms",
        "Blue Hour",
        "The Iron Season",
    ]
    assert {book["genre"] for book in books} == {"poetry"}
    assert max(book["price"] for book in books) == 38.05


def test_most_expensive(api):
    books = api.get("/books", _sort="price", _order="desc", _limit=3).json()
    assert [(book["id"], book["price"]) for book in books] == [(15, 40.59), (3, 38.89), (7, 38.25)]


@pytest.mark.parametrize("page, first, last", [(1, 1, 3), (2, 4, 6), (11, 31, 32)])
def test_pages(api, page, first, last):
    response = api.get("/books", _page=page, _limit=3)
    books = response.json()
    assert response.headers["X-Total-Count"] == "32"
    assert books[0]["id"] == first
    assert books[-1]["id"] == last


def test_links_of_a_page(api):
    response = api.get("/books", _page=2, _limit=3)
    assert response.headers["Link"] == (
        '<http://localhost:3000/books?_page=1&_limit=3>; rel="first", '
        '<http://localhost:3000/books?_page=1&_limit=3>; rel="prev", '
        '<http://localhost:3000/books?_page=3&_limit=3>; rel="next", '
        '<http://localhost:3000/books?_page=11&_limit=3>; rel="last"'
    )
    assert response.links["next"]["url"] == "http://localhost:3000/books?_page=3&_limit=3"


def test_search(api):
    response = api.get("/books", q="harbour")
    assert titles(response.json()) == ["The Quiet Harbour", "Harbour Lights"]


def test_authors_of_norway(api, snapshot):
    authors = api.get("/authors", country="Norway").json()
    assert len(authors) == 3
    assert authors == snapshot


def test_author_with_books(api):
    author = api.get("/authors/7", _embed="books").json()
    assert author["name"] == "Matthias Kern"
    assert author["born"] == "1972-02-29"
    assert titles(author["books"]) == ["The Clockmaker's Daughter", "A History of Fog", "The Accountant of Bergen"]
    assert author["books"][0]["dimensions"]["weightGrams"] == 349


def test_loan_with_member_and_book(api):
    loan = api.get("/loans/L-0003", _expand=["book", "member"]).json()
    assert loan["returned"] is True
    assert loan["returnedAt"] == "2024-04-11T18:40:44Z"
    assert loan["fine"] == 3.75
    assert loan["book"]["title"] == "The Iron Season"
    assert loan["member"]["address"]["city"] == "Bristol"
    assert loan["member"]["balance"] == -4.22


def test_join(api, snapshot):
    response = api.post("/members", {"name": "Wilma Berg", "email": "wilma@readers.example", "level": "basic"})
    assert response.status_code == 201
    assert response.headers["Location"] == "http://localhost:3000/members/17"
    assert response.json() == snapshot


def test_new_member_is_there(api):
    members = api.get("/members").json()
    assert len(members) == 17
    assert members[16]["name"] == "Wilma Berg"


def test_borrow(loan):
    assert loan["id"] == "wWlvYYp"
    assert loan["bookId"] == 5
    assert loan["dueOn"] == "2026-12-14"
    assert loan["returned"] is False


def test_borrowed_is_found(api, loan):
    found = api.get("/loans/" + loan["id"])
    assert found.status_code == 200
    assert found.json() == {"memberId": 7, "bookId": 5, "dueOn": "2026-12-14", "returned": False, "id": "k3Hq9dW"}


def test_borrowed_in_a_snapshot(loan, snapshot):
    assert loan == snapshot


def test_bring_back(api, loan):
    url = api.base + "/loans/" + loan["id"]
    response = requests.patch(url, json={"returned": True, "returnedAt": "2026-11-22T17:12:41Z"}, timeout=5)
    assert response.status_code == 200
    changed = response.json()
    assert changed["returned"] is True
    assert changed["returnedAt"] == "2026-11-22T17:12:41Z"
    assert changed["id"] == "Z0Gqb2p"
    assert changed["memberId"] == 7


def test_loans_of_member(api):
    loans = api.get("/loans", memberId=7).json()
    assert len(loans) == 4
    assert [loan["id"] for loan in loans] == ["wWlvYYp", "k3Hq9dW", "L4-EWwH", "Z0Gqb2p"]
    assert loans[-1]["returned"] is True


def test_review_and_delete(api):
    made = api.post("/books/3/reviews", {"rating": 4, "text": "Read it twice."})
    assert made.status_code == 201
    review = made.json()
    assert review["id"] == 19
    assert review["bookId"] == "3"
    gone = requests.delete(f"{api.base}/reviews/{review['id']}", timeout=5)
    assert gone.status_code == 200
    assert gone.json() == {}
    assert api.get("/reviews/19").status_code == 404


def test_nonsense(api):
    response = requests.post(
        api.base + "/books", data="nonsense", headers={"Content-Type": "application/json"}, timeout=5
    )
    assert response.status_code == 500
    assert response.text.startswith("SyntaxError: Unexpected token 'n', \"nonsense\" is not valid JSON")
