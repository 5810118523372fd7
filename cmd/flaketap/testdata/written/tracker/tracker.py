"""An API that keeps track of projects, for suites whose tests lean on each other: python tracker.py PORT."""

import json
import re
import secrets
import sys
import uuid
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

users, tokens, projects, tasks, comments = {}, {}, {}, {}, {}


class Refused(Exception):
    def __init__(self, status, message):
        super().__init__(message)
        self.status, self.message = status, message


def now():
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def find(things, key, what):
    if key not in things:
        raise Refused(404, f"no such {what}")
    return things[key]


def numbered(things):
    things["last"] = things.get("last", 0) + 1
    return things["last"]


def listed(things):
    return [thing for key, thing in things.items() if key != "last"]


def shown(user):
    return {key: user[key] for key in ("id", "name", "email", "created")}


def sign_up(_, body, __):
    for field in ("name", "email", "password"):
        if not body.get(field):
            raise Refused(422, f"{field} is missing")
    if any(user["email"] == body["email"] for user in users.values()):
        raise Refused(409, "the email is taken")
    user = dict(body, id=str(uuid.uuid4()), created=now())
    users[user["id"]] = user
    return 201, shown(user)


def log_in(_, body, __):
    for user in users.values():
        if (user["email"], user["password"]) == (body.get("email"), body.get("password")):
            token = secrets.token_hex(16)
            tokens[token] = user
            return 200, {"token": token, "user": shown(user)}
    raise Refused(401, "wrong email or password")


def me(who, _, __):
    return 200, shown(who)


def make_project(who, body, _):
    if not body.get("name"):
        raise Refused(422, "name is missing")
    if any(p["name"] == body["name"] for p in listed(projects)):
        raise Refused(409, "the name is taken")
    project = {"id": numbered(projects), "name": body["name"], "owner": who["name"], "archived": False, "created": now()}
    projects[project["id"]] = project
    return 201, project


def list_projects(_, __, ___):
    return 200, {"total": len(listed(projects)), "items": listed(projects)}


def read_project(_, __, key):
    return 200, find(projects, int(key), "project")


def change_project(_, body, key):
    project = find(projects, int(key), "project")
    project.update({k: body[k] for k in ("name", "archived") if k in body})
    return 200, project


def delete_project(_, __, key):
    find(projects, int(key), "project")
    if any(t["project"] == int(key) and t["status"] == "open" for t in listed(tasks)):
        raise Refused(409, "it has open tasks")
    del projects[int(key)]
    return 204, None


def make_task(who, body, key):
    project = find(projects, int(key), "project")
    if project["archived"]:
        raise Refused(409, "the project is archived")
    task = {"id": numbered(tasks), "project": project["id"], "title": body.get("title", ""), "status": "open",
            "points": body.get("points", 1), "by": who["name"], "created": now()}
    tasks[task["id"]] = task
    return 201, task


def list_tasks(_, query, key):
    found = [t for t in listed(tasks) if t["project"] == int(key)]
    if "status" in query:
        found = [t for t in found if t["status"] == query["status"]]
    return 200, {"total": len(found), "items": found}


def read_task(_, __, key):
    return 200, find(tasks, int(key), "task")


def change_task(_, body, key):
    task = find(tasks, int(key), "task")
    if body.get("status") not in (None, "open", "done"):
        raise Refused(422, "status is open or done")
    task.update({k: body[k] for k in ("status", "title", "points") if k in body})
    return 200, task


def make_comment(who, body, key):
    find(tasks, int(key), "task")
    comment = {"id": numbered(comments), "task": int(key), "text": body.get("text", ""), "by": who["name"], "at": now()}
    comments[comment["id"]] = comment
    return 201, comment


def list_comments(_, __, key):
    find(tasks, int(key), "task")
    return 200, [c for c in listed(comments) if c["task"] == int(key)]


def stats(_, __, ___):
    done = [t for t in listed(tasks) if t["status"] == "done"]
    return 200, {"projects": len(listed(projects)), "tasks": len(listed(tasks)), "done": len(done),
                 "points": sum(t["points"] for t in done)}


def health(_, __, ___):
    return 200, {"status": "ok"}


OPEN = [sign_up, log_in, health]
ROUTES = [
    ("GET", r"/health", health), ("POST", r"/users", sign_up), ("POST", r"/login", log_in), ("GET", r"/me", me),
    ("POST", r"/projects", make_project), ("GET", r"/projects", list_projects),
    ("GET", r"/projects/(\d+)", read_project), ("PATCH", r"/projects/(\d+)", change_project),
    ("DELETE", r"/projects/(\d+)", delete_project), ("POST", r"/projects/(\d+)/tasks", make_task),
    ("GET", r"/projects/(\d+)/tasks", list_tasks), ("GET", r"/tasks/(\d+)", read_task),
    ("PATCH", r"/tasks/(\d+)", change_task), ("POST", r"/tasks/(\d+)/comments", make_comment),
    ("GET", r"/tasks/(\d+)/comments", list_comments), ("GET", r"/stats", stats),
]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self):
        length = int(self.headers.get("Content-Length") or 0)
        raw = self.rfile.read(length)
        try:
            status, out = self.route(raw)
        except Refused as refused:
            status, out = refused.status, {"error": refused.message}
        data = b"" if out is None else json.dumps(out).encode()
        self.send_response(status)
        if out is not None:
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def route(self, raw):
        url = urlsplit(self.path)
        for method, path, do in ROUTES:
            match = re.fullmatch(path, url.path)
            if method == self.command and match:
                who = tokens.get(self.headers.get("Authorization", "").removeprefix("Bearer "))
                if who is None and do not in OPEN:
                    raise Refused(401, "log in first")
                query = {key: values[0] for key, values in parse_qs(url.query).items()}
                return do(who, json.loads(raw) if raw else query, *(match.groups() or (None,)))
        raise Refused(404, "no such page")

    do_GET = do_POST = do_PATCH = do_DELETE = answer

    def log_message(self, *_):
        pass


ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
