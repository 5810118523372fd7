import pytest


class TestListing:
    def test_empty(self, client):
        rv = client.get("/notes")
        assert rv.status_code == 200
        assert rv.json() == []

    def test_two_notes(self, client, make_note):
        make_note("first")
        make_note("second")
        rv = client.get("/notes?sort=title")
        notes = rv.json()
        assert len(notes) == 2
        assert notes[0]["title"] == "first"
        assert notes[1]["title"] == "second"
        titles = [n["title"] for n in notes]
        assert titles == ["first", "second"]
        assert sorted(titles) == titles


class TestSingle:
    @pytest.fixture(autouse=True)
    def _note(self, make_note):
        self.note = make_note("Plans", "rest")

    def test_fields(self):
        assert self.note["title"] == "Plans"
        assert self.note["body"] == "rest"
        assert self.note["author"] == "tester"
        assert self.note["revision"] == 1
        assert self.note["pinned"] is False

    def test_get(self, client):
        rv = client.get(f"/notes/{self.note['id']}")
        assert rv.status_code == 200
        assert rv.json()["createdAt"] == self.note["createdAt"]
        assert rv.headers["ETag"] == f'"{self.note["revision"]}"'

    def test_edit(self, client):
        rv = client.put(f"/notes/{self.note['id']}", json={"title": "Plans!", "body": "rest"})
        assert rv.status_code == 200
        data = rv.json()
        assert data["revision"] == 2
        assert data["title"] == "Plans!"
        assert data["id"] == self.note["id"]

    def test_delete(self, client):
        assert client.delete(f"/notes/{self.note['id']}").status_code == 204
        rv = client.get("/notes/" + str(self.note["id"]))
        assert rv.status_code == 404
        assert rv.json()["message"] == "The requested URL was not found on the server."


class TestErrors:
    @pytest.mark.parametrize("body", [{}, {"title": ""}, {"title": 5}])
    def test_bad_note(self, client, body):
        rv = client.post("/notes", json=body)
        assert rv.status_code == 400
        assert "title" in rv.json()["errors"]

    def test_not_json(self, client):
        rv = client.post("/notes", data="<xml/>", headers={"Content-Type": "text/xml"})
        assert rv.status_code == 415
        assert rv.text != ""
