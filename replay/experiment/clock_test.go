package experiment

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/internal/testbed/needs"
	"github.com/flaketap/flaketap/replay"
	"github.com/flaketap/flaketap/replay/service"
	"github.com/flaketap/flaketap/volatility/analysis"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// TestMoments: each step leads to a moment that changes what it is called by, and as little else as the calendar allows.
func TestMoments(t *testing.T) {
	for recorded, want := range map[string]string{
		"Sun 2026-11-22 21:45 in Europe/Berlin": `hour Sun 2026-11-22 22:45 CET
half-day Sun 2026-11-22 09:45 CET
day Sat 2026-11-28 21:45 CET
weekend Mon 2026-11-23 21:45 CET
month-end Mon 2026-11-30 21:45 CET
month Sat 2026-12-05 21:45 CET
year Sat 2027-11-06 21:45 CET
dst-begins Sun 2027-03-28 21:45 CEST
dst-ends Sun 2027-10-31 21:45 CET
leap-day Tue 2028-02-29 21:45 CET`,
		"Wed 2025-12-31 11:59 in America/New_York": `hour Wed 2025-12-31 10:59 EST
half-day Wed 2025-12-31 23:59 EST
day Tue 2025-12-30 11:59 EST
weekend Sun 2025-12-28 11:59 EST
month Fri 2025-11-28 11:59 EST
year Tue 2026-12-01 11:59 EST
dst-begins Sun 2026-03-08 11:59 EDT
dst-ends Sun 2026-11-01 11:59 EST
leap-day Tue 2028-02-29 11:59 EST`,
		"Thu 2026-07-30 00:10 in UTC": `hour Thu 2026-07-30 01:10 UTC
half-day Thu 2026-07-30 12:10 UTC
day Fri 2026-07-31 00:10 UTC
weekend Sun 2026-07-26 00:10 UTC
month-end Fri 2026-07-31 00:10 UTC
month Mon 2026-08-03 00:10 UTC
year Thu 2027-07-01 00:10 UTC
leap-day Tue 2028-02-29 00:10 UTC`,
	} {
		text, zone, _ := strings.Cut(recorded, " in ")
		location, err := time.LoadLocation(zone)
		if err != nil {
			t.Fatal(err)
		}
		from, err := time.ParseInLocation("Mon 2006-01-02 15:04", text, location)
		if err != nil {
			t.Fatal(err)
		}
		s := situation{load: &load{from: from.UTC()}, service: &service.Service{Command: "TZ=" + zone + " node app.js --clock {clock}"}}
		var got []string
		made, err := clock(service.Condition{Name: "clock"}).several("", s)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range made {
			got = append(got, strings.TrimPrefix(c.Name, "clock=")+" "+c.what)
		}
		if strings.Join(got, "\n") != want {
			t.Errorf("%s:\n%s\nwant\n%s", recorded, strings.Join(got, "\n"), want)
		}
	}
}

// calendarAPI is an API that others wrote, in Python: its answers follow the clock in several ways. What it is asked with
// an old token, it refuses.
const calendarAPI = `
import datetime, json, sys, time
from http.server import BaseHTTPRequestHandler, HTTPServer
class API(BaseHTTPRequestHandler):
    def do_GET(self):
        now = datetime.datetime.now()
        old = self.path == "/secret" and now.year > %d
        body = json.dumps({"error": "expired"} if old else {
            "greeting": "good morning" if now.hour < 12 else "good evening", "open": now.weekday() < 5,
            "weekday": now.strftime("%%A"), "month": now.strftime("%%B"), "copyright": "(c) %%d" %% now.year,
            "zone": time.strftime("%%Z"),
            "leap": now.strftime("%%m-%%d") == "02-29", "founded": "2011-05-06"}).encode()
        self.send_response(401 if old else 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *a): pass
HTTPServer(("127.0.0.1", int(sys.argv[1])), API).serve_forever()
`

// recordCalendar records one answer of a calendar API for each target.
func recordCalendar(t *testing.T, s *service.Service, targets ...string) string {
	t.Helper()
	api, err := s.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := api.Stop(); err != nil {
			t.Error(err)
		}
	}()
	path := filepath.Join(t.TempDir(), "flaketap.db")
	target := api.Target().String()
	if err := recordTo(path, target, targets...); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestCalendarOfRealAPI: on an API in a process of its own, a run for each step of the clock shows what follows the
// clock, and with which step; one that is refused for an old token shows nothing.
func TestCalendarOfRealAPI(t *testing.T) {
	lib := os.Getenv("FLAKETAP_LIBFAKETIME")
	needs.Optional(t, "libfaketime (make tools fetches it, FLAKETAP_LIBFAKETIME names it)", lib != "")
	needs.Program(t, "python3")
	script := filepath.Join(t.TempDir(), "api.py")
	if err := os.WriteFile(script, fmt.Appendf(nil, calendarAPI, time.Now().Year()), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		target  string
		perturb string
		want    map[exchange.Place]string
	}{
		{"/today", "clock", map[exchange.Place]string{
			"/body/greeting": "clock-step:half-day", "/body/open": "clock-step:weekend", "/body/weekday": "clock-step:day",
			"/body/month": "clock-step:month", "/body/copyright": "clock-step:year", "/body/leap": "clock-step:leap-day", "/body/zone": "clock-step:dst-",
			"/body/founded": "", "/status": "",
		}},
		{"/secret", "clock=leap-day", map[exchange.Place]string{"/status": "", "/body/leap": "", "/body/copyright": ""}},
	} {
		api := &service.Service{Command: "TZ=Europe/Berlin exec python3 " + script + " {port}", Ready: "http://127.0.0.1:{port}/ready"}
		path := recordCalendar(t, api, c.target)
		var said bytes.Buffer
		experiments, err := Read([]string{c.perturb}, api)
		if err != nil {
			t.Fatal(err)
		}
		o := Options{DB: path, Runs: 3, Experiments: experiments, FakeTime: lib, Player: replay.Player{Service: api}, Console: &console.Console{Err: &said}}
		if err := Run(t.Context(), o); err != nil {
			t.Fatalf("%v\n%s", err, said.String())
		}
		result, err := analysis.Judge(path, analysis.Options{})
		if err != nil {
			t.Fatal(err)
		}
		op := result.Map.Operations[0]
		for place, step := range c.want {
			f := op.At(place)
			if f == nil {
				t.Errorf("no %s among the fields\n%s", place, said.String())
				continue
			}
			if found := slices.ContainsFunc(f.Evidence, func(code string) bool { return strings.HasPrefix(code, step) }); step != "" && (!found || f.Judgement != mapfile.WouldMove || f.Category != mapfile.Time) ||
				step == "" && f.Volatile() {
				t.Errorf("%s%s is %s %s %q, want %q\n%s", c.target, place, f.Judgement, f.Category, f.Evidence, step, said.String())
			}
		}
		if refused := strings.Contains(said.String(), "401 in 1 answer that succeeded in the recording"); refused != (c.target == "/secret") {
			t.Errorf("%s: said %s", c.target, said.String())
		}
	}
}

// A clock that cannot be moved is told of once. The runs as recorded, and those under other conditions, are played all
// the same.
func TestClockThatCannotBeMoved(t *testing.T) {
	needs.Program(t, "python3")
	script := filepath.Join(t.TempDir(), "api.py")
	if err := os.WriteFile(script, fmt.Appendf(nil, calendarAPI, 9999), 0o600); err != nil {
		t.Fatal(err)
	}
	api := &service.Service{Command: "exec python3 " + script + " {port}", Ready: "http://127.0.0.1:{port}/ready"}
	path := recordCalendar(t, api, "/today")
	var said bytes.Buffer
	experiments, err := Read([]string{"clock", "tz"}, api)
	if err != nil {
		t.Fatal(err)
	}
	err = Run(t.Context(), Options{DB: path, Experiments: experiments, FakeTime: filepath.Join(t.TempDir(), "none.so"),
		Player: replay.Player{Service: api}, Console: &console.Console{Err: &said}})
	if err == nil || !strings.Contains(err.Error(), "clock: ") || !strings.Contains(err.Error(), "put {clock} into the command") {
		t.Errorf("the error is %v", err)
	}
	var runs []string
	for _, r := range storedRuns(t, path) {
		runs = append(runs, strings.Join(r.Conditions.Perturb, " "))
	}
	if want := []string{"", "tz=Asia/Kathmandu"}; !slices.Equal(runs, want) {
		t.Errorf("runs %q, want %q", runs, want)
	}
	if n := strings.Count(said.String(), "not played: the API's clock cannot be moved"); n != 1 {
		t.Errorf("it says so %d times: %s", n, said.String())
	}
}

// The header Date of its answers tells where the clock of the process that was started is not the API's.
func TestDateTellsThatClockIsNotMoved(t *testing.T) {
	lib := os.Getenv("FLAKETAP_LIBFAKETIME")
	needs.Optional(t, "libfaketime (make tools fetches it, FLAKETAP_LIBFAKETIME names it)", lib != "")
	far := newShop(t) // a service beside, which the command only leads to
	s := &service.Service{Command: "exec sleep 1000 # {port}", Ready: far.URL, Environment: service.Environment{FakeTime: lib}}
	if err := s.Environment.Add("clock", "+25h"); err != nil {
		t.Fatal(err)
	}
	i, err := s.Start(t.Context())
	if err == nil {
		err = i.Stop()
		t.Fatalf("it is taken for moved, %v", err)
	}
	if !strings.Contains(err.Error(), "the API still has the machine's time: GET "+far.URL+" is dated") {
		t.Error(err)
	}
}

// recordTo makes a recording of what an API answers to GET requests.
func recordTo(path, target string, targets ...string) error {
	r, err := newRecording(path, target)
	if err != nil {
		return err
	}
	for _, one := range targets {
		if err := r.exchange(http.MethodGet, one); err != nil {
			return err
		}
	}
	return r.close()
}
