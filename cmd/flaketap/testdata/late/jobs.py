"""A suite that makes jobs and reads each once, PAUSE seconds later, as if it were done by then. Needs the standard library only."""

import json
import os
import time
import unittest
import urllib.error
import urllib.request

PAUSE = float(os.environ.get("PAUSE", "0"))
JOBS = 20


def ask(method, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(os.environ["FLAKETAP_URL"] + path, data, {"Content-Type": "application/json"}, method=method)
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as answer:
        return answer.code, json.load(answer)


class Jobs(unittest.TestCase):
    def ends(self, of, how):
        _, made = ask("POST", "/jobs", {"of": of})
        time.sleep(PAUSE)
        status, job = ask("GET", "/jobs/" + made["id"])
        self.assertEqual((status, job.get("state")), (200, how))

    def test_mud_fails(self):
        self.ends("mud", "failed")


for n in range(JOBS):
    setattr(Jobs, f"test_tea_{n}", lambda self: self.ends("tea", "done"))

unittest.main()
