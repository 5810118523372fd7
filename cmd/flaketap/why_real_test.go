package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/internal/testbed/demoapi"
	"github.com/flaketap/flaketap/report"
)

// explained runs flaketap why, and returns what it says of the one test.
func (b *bench) explained(args string) *report.Flake {
	b.t.Helper()
	var all []*report.Flake
	out := b.must("flaketap why --quiet --format json " + args)
	if err := json.Unmarshal([]byte(out), &all); err != nil || len(all) != 1 {
		b.t.Fatalf("why %s: %v\n%s", args, err, out)
	}
	return all[0]
}

// blames checks what a test flaked by: how that is known, where it stands, and in which answer.
func blames(t *testing.T, f *report.Flake, tied, known, where, statement, request, place, category string) {
	t.Helper()
	if f.TiedBy != tied || len(f.Causes) == 0 {
		t.Fatalf("%s is tied by %q (%s), and has %d causes", f.Test, f.TiedBy, f.Tie, len(f.Causes))
	}
	c := f.Causes[0]
	got := fmt.Sprint(c.Known, " ", c.Where, " ", c.Statement, " ", c.Exchange.Method+" "+c.Exchange.Target, " ", c.Place, " ", c.Category)
	if want := fmt.Sprint(known, " ", where, " ", statement, " ", request, " ", place, " ", category); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if c.Differed == 0 || c.Of < 3 || c.Since == nil || len(c.Values) == 0 || c.Judged == nil || len(c.Next) == 0 {
		t.Errorf("%s: %+v", f.Test, c)
	}
}

// markingPytest is what docs/why.md shows for pytest.
const markingPytest = `import os
import urllib.parse
import urllib.request

import pytest


@pytest.fixture(autouse=True)
def named_to_flaketap(request):
    control = os.environ.get("FLAKETAP_CONTROL")
    if control:
        urllib.request.urlopen(control + "/.flaketap/mark?name=" + urllib.parse.quote(request.node.nodeid))
    yield
`

// A suite for pytest that sends its requests by functions that are made, so that patch does not read it, names its tests to the recorder: why
// tells the line, the answer and the place of each failure.
func TestWhyPytest(t *testing.T) {
	t.Parallel()
	b := newFuzzBench(t)
	url, stop := serveTruth(t, demoapi.Dials{})
	defer stop()
	b.must("mkdir suite")
	b.write("suite/conftest.py", []byte(markingPytest))
	b.write("suite/shop.py", []byte(`import os

import requests

URL = os.environ["FLAKETAP_URL"]


def sender(path):
    return lambda: requests.get(URL + path).json()


health = sender("/health")
`))
	b.write("suite/test_shop.py", []byte(`from shop import health


def test_up():
    assert health()["status"] == "ok"


def test_uptime():
    up = health()
    assert up["status"] == "ok"
    assert up["uptimeSeconds"] == 0.25
`))
	const pytest = "-- python -m pytest -q -p no:cacheprovider suite"
	b.sh("flaketap record --listen 127.0.0.1:0 --target " + url + " --reset " + url + "/admin/reset " + pytest)
	b.sh("flaketap rerun --runs 3 --reset " + url + "/admin/reset " + pytest + " --junitxml=results.xml")
	f := b.explained("--results results.xml --suite suite")
	blames(t, f, report.TiedByMark, report.KnownByMessage, "suite/test_shop.py:11", `assert up["uptimeSeconds"] == 0.25`,
		"GET /health", "/body/uptimeSeconds", "Time")
	if f.Failed != 1 || f.Of != 1 || f.Causes[0].Differed != 3 || f.Causes[0].Of != 4 || f.Causes[0].Since.Run != 1 {
		t.Errorf("%+v", f)
	}
	// Without results, it is known what moves, and said what would tell more.
	f = b.explained("uptime")
	if len(f.Causes) == 0 || f.Causes[0].Known != report.KnownByPlace || !strings.Contains(strings.Join(f.Next, "\n"), "--results") {
		t.Errorf("%+v", f)
	}
	// The suite tells by its names.
	blames(t, b.explained("uptime --suite suite"), report.TiedByMark, report.KnownBySource, "suite/test_shop.py:11",
		`assert up["uptimeSeconds"] == 0.25`, "GET /health", "/body/uptimeSeconds", "Time")
}

// A Go suite whose requests are not read from its source names nothing to the recorder: go test -json says when each
// test ran.
func TestWhyGo(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.useGo()
	url, stop := serveTruth(t, demoapi.Dials{})
	defer stop()
	b.must("mkdir shop")
	b.write("shop/go.mod", []byte("module example.org/shop\n\ngo 1.24\n"))
	b.write("shop/client_test.go", []byte(`package shop

import (
	"encoding/json"
	"net/http"
	"os"
	"testing"
)

type health struct {
	Status        string
	UptimeSeconds float64
}

func get(t *testing.T, path string) (h health) {
	r, err := http.Get(os.Expand("${FLAKETAP_URL}"+path, os.Getenv))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if err := json.NewDecoder(r.Body).Decode(&h); err != nil {
		t.Fatal(err)
	}
	return h
}
`))
	b.write("shop/shop_test.go", []byte(`package shop

import "testing"

func TestUp(t *testing.T) {
	get(t, "/static/json")
}

func TestUptime(t *testing.T) {
	if h := get(t, "/health"); h.UptimeSeconds != 0.25 {
		t.Error("another uptime")
	}
}
`))
	b.must("cd shop && go test -c -o ../shop.bin . && go version")
	const suite = "-- sh -c 'cd shop && go tool test2json -t -p example.org/shop ../shop.bin -test.v=test2json >../results.json'"
	b.sh("flaketap record --listen 127.0.0.1:0 --target " + url + " --reset " + url + "/admin/reset " + suite)
	b.sh("flaketap rerun --runs 3 --reset " + url + "/admin/reset " + suite)
	f := b.explained("--results results.json --suite shop")
	blames(t, f, report.TiedByTime, report.KnownByLine, "shop_test.go:11",
		`if h := get(t, "/health"); h.UptimeSeconds != 0.25 { t.Error("another uptime")`, "GET /health", "/body/uptimeSeconds", "Time")
	if f.Test != "TestUptime" || f.Exchanges[len(f.Exchanges)-1].Seq != 2 {
		t.Errorf("%s has the exchanges %+v (%s)", f.Test, f.Exchanges, f.Tie)
	}
}
