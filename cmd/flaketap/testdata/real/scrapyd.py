"""A client of scrapyd: it uploads a project in two versions, runs jobs of it, polls until they are finished, cancels some,
reads logs, and takes everything away again. The ids of the jobs are the server's.

    python scrapyd.py URL REQUESTS
"""
import io
import itertools
import random
import sys
import time
import zipfile

import requests

SPIDER = '''
import asyncio

import scrapy


class Slow(scrapy.Spider):
    """Visits nobody, and takes its time."""

    name = "slow"
    custom_settings = {"TELNETCONSOLE_ENABLED": False}

    async def start(self):
        await asyncio.sleep(float(getattr(self, "seconds", 0)))
        for nothing in ():
            yield nothing
'''


def egg(version):
    """A project as scrapyd wants it: an egg is a ZIP file."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as z:
        for name, text in {
            "demo/__init__.py": "",
            "demo/settings.py": f"BOT_NAME = 'demo'\nSPIDER_MODULES = ['demo.spiders']\n# {version}\n",
            "demo/spiders/__init__.py": SPIDER,
            "EGG-INFO/PKG-INFO": f"Metadata-Version: 1.0\nName: demo\nVersion: {version}\n",
            "EGG-INFO/entry_points.txt": "[scrapy]\nsettings = demo.settings\n",
        }.items():
            z.writestr(zipfile.ZipInfo(name, (2026, 1, 2, 3, 4, 6)), text)
    return out.getvalue()


def main(base, wanted):
    draw = random.Random(7)
    session, count = requests.Session(), itertools.count(1)
    session.trust_env = False
    asked = 0

    def ask(method, path, **more):
        nonlocal asked
        asked = next(count)
        return session.request(method, f"{base}/{path}", timeout=60, **more)

    def get(name, **query):
        return ask("GET", name + ".json", params=query).json()

    def post(name, **form):
        return ask("POST", name + ".json", data=form).json()

    def look(jobs):
        """What somebody who waits for jobs looks at."""
        for job in jobs:
            get("status", job=job, project="demo")
        draw.choice([
            lambda: get("daemonstatus"),
            lambda: get("listjobs", project="demo"),
            lambda: get("listversions", project="demo"),
            lambda: get("listspiders", project="demo"),
            lambda: get("listspiders", project="demo", _version="r2"),
            lambda: get("listprojects"),
            lambda: get("status", job="no-such-job"),
            lambda: get("listspiders", project="nowhere"),
            lambda: post("schedule", project="demo", spider="no-such-spider"),
            lambda: post("cancel", project="demo", job="no-such-job"),
        ])()

    def finished(job):
        return get("status", job=job)["currstate"] == "finished"

    post("schedule", project="demo", spider="slow")  # before there is one
    for version in ("r1", "r2"):
        ask("POST", "addversion.json", data={"project": "demo", "version": version}, files={"egg": ("demo.egg", egg(version))})
    ask("POST", "addversion.json", data={"project": "demo", "version": "r3"}, files={"egg": ("demo.egg", b"no ZIP file")})
    jobs = []
    for n in range(5):
        form = {"project": "demo", "spider": "slow", "seconds": str(0.2 * (n % 3)), "setting": "LOG_LEVEL=INFO"}
        jobs.append(post("schedule", **form, _version="r1" if n % 2 else "r2")["jobid"])
        look(jobs[-1:])
    post("cancel", project="demo", job=post("schedule", project="demo", spider="slow")["jobid"])  # while it is pending
    waiting = list(jobs)
    while waiting:
        time.sleep(0.02)
        look(waiting[:1])
        if finished(waiting[0]):
            ask("GET", f"logs/demo/slow/{waiting.pop(0)}.log")
    while asked < wanted - 30:
        look(draw.sample(jobs, 2))
    own = post("schedule", project="demo", spider="slow", seconds="60", jobid="chosen-by-the-client")["jobid"]
    while get("status", job=own)["currstate"] != "running":
        time.sleep(0.02)
    post("cancel", project="demo", job=own, signal="KILL")
    while not finished(own):
        time.sleep(0.1)
    post("delversion", project="demo", version="r1")
    post("delversion", project="demo", version="r1")
    get("listversions", project="demo")
    post("delproject", project="demo")
    get("listprojects")
    post("schedule", project="demo", spider="slow")


main(sys.argv[1], int(sys.argv[2]))
