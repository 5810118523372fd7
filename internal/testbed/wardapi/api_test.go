package wardapi

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"github.com/flaketap/flaketap/internal/testbed/proving"
)

// TestStatuses proves that requests out of line are turned away as they should be.
func TestStatuses(t *testing.T) {
	api := New(Dials{Seed: 1})
	for _, tt := range []struct {
		name, method, path, body string
		headers                  []string
		want                     int
	}{
		{"unknown path", "GET", "/keller", "", nil, 404},
		{"trailing slash", "GET", "/stationen/", "", nil, 404},
		{"escaped slash", "GET", "/stationen%2FITS-1", "", nil, 404},
		{"head", "HEAD", "/stationen/ITS-1", "", nil, 200},
		{"method", "TRACE", "/stationen", "", nil, 405},
		{"no media type", "POST", "/proben", "{}", []string{"Content-Type", ""}, 415},
		{"null", "POST", "/proben", "null", nil, 400},
		{"two documents", "POST", "/proben", "{}{}", nil, 400},
		{"unknown member", "POST", "/proben", `{"x":1}`, nil, 400},
		{"too long", "POST", "/proben", `"` + strings.Repeat("x", maxBody), nil, 413},
		{"rules", "POST", "/proben", `{"material":"","analysen":[]}`, nil, 422},
		{"right", "POST", "/proben", `{"material":"Blut","analysen":["HB"]}`, nil, 201},
		{"nobody", "GET", "/sitzung", "", nil, 401},
		{"forged ticket", "POST", "/rezepte", "{}", []string{"Authorization", "Bearer a.b.c"}, 401},
		{"kept patient", "DELETE", "/patienten/" + seedPatientID, "", nil, 409},
		{"no If-Match", "PUT", "/patienten/" + seedPatientID, "{}", nil, 428},
		{"stale If-Match", "PUT", "/patienten/" + seedPatientID, "{}", []string{"If-Match", `W/"9"`}, 412},
		{"forged cursor", "GET", "/patienten?zeiger=AAAA", "", nil, 400},
		{"cursor past the end", "GET", "/patienten?zeiger=eyJhYiI6OTl9", "", nil, 200},
		{"cursor before the beginning", "GET", "/patienten?zeiger=eyJhYiI6LTF9", "", nil, 400},
		{"form without text", "POST", "/nachrichten", "--x--", []string{"Content-Type", "multipart/form-data; boundary=x"}, 400},
		{"wrong dial", "PUT", "/admin/dials", `{"latency":"1h"}`, nil, 400},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := proving.Ask(api, tt.method, tt.path, tt.body, tt.headers...)
			if w.Code != tt.want {
				t.Errorf("%s %s: %d, want %d: %s", tt.method, tt.path, w.Code, tt.want, w.Body)
			}
			if w.Code >= 400 && !gjson.ValidBytes(w.Body.Bytes()) {
				t.Errorf("the refusal is no JSON: %s", w.Body)
			}
		})
	}
}

// TestSeed proves that a seed repeats an API's randomness, that without one two APIs differ, and that a reset does not
// go back to it.
func TestSeed(t *testing.T) {
	draw := func(api *API) string {
		return gjson.Get(proving.Ask(api, "GET", "/protokoll/kette", "").Body.String(), "salz").String()
	}
	if a, b := draw(New(Dials{Seed: 5})), draw(New(Dials{Seed: 5})); a != b {
		t.Error("two APIs with one seed differ")
	}
	if a, b := draw(New(Dials{})), draw(New(Dials{})); a == b {
		t.Error("two APIs without a seed agree")
	}
	api := New(Dials{Seed: 5})
	a := draw(api)
	proving.Reset(t, api)
	if a == draw(api) {
		t.Error("a reset went back to the seed")
	}
}

// TestChances proves that what happens by chance does so about as often as is said.
func TestChances(t *testing.T) {
	api := New(Dials{Seed: 4})
	id := gjson.Get(proving.Ask(api, "POST", "/proben", `{"material":"Blut","analysen":["HB"]}`).Body.String(), "probe_id").String()
	const n = 3000
	var lag, rare float64
	for range n {
		if proving.Ask(api, "GET", "/proben/"+id, "").Code == 202 {
			lag++
		}
		if proving.Ask(api, "GET", "/apotheke/bestand", "").Code == 503 {
			rare++
		}
	}
	if lag /= n; lag < 0.22 || lag > 0.28 {
		t.Errorf("a replica lags in %.3f of the answers, want 0.25", lag)
	}
	if rare /= n; rare < 0.022 || rare > 0.045 {
		t.Errorf("out of order in %.3f of the answers, want 0.033", rare)
	}
}

// TestNotations holds the notations of time against known values.
func TestNotations(t *testing.T) {
	at := time.Date(2026, 6, 15, 10, 0, 3, 123456700, time.UTC)
	for _, x := range [][2]string{
		{isoWeekday(at), "2026-W25-1"}, {isoDuration(26*time.Hour + 3*time.Minute + 4567*time.Millisecond), "P1DT2H3M4.567S"}, {isoDuration(0), "PT0.000S"},
		{hl7(at), "20260615100003"}, {beats(at), "@458.36948"}, {uuid1(at), "fa752a07-68a0-11f1-9392-001b44113ab7"}, {withCheckDigit(7992739871), "7992739871-3"},
	} {
		if x[0] != x[1] {
			t.Errorf("%s, want %s", x[0], x[1])
		}
	}
	if got := julian(time.Date(2000, 1, 1, 12, 0, 0, 0, time.UTC)); got != 2451545 {
		t.Errorf("Julian date %f, want 2451545", got)
	}
}

// TestServe drives a served API over sockets and by the real clock; Drive leaves no operation out, and Serve ends with
// its context.
func TestServe(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- Serve(ctx, ln, Dials{}) }()
	if err := Drive(t.Context(), "http://"+ln.Addr().String(), 1); err != nil {
		t.Error(err)
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if err := Drive(t.Context(), "http://127.0.0.1:1", 1); err == nil || !strings.Contains(err.Error(), "drive dienst-1: send request") {
		t.Errorf("nobody there: %v", err)
	}
	clock := proving.NewClock(monday, 1)
	api, used := New(Dials{Clock: clock.Read}), map[string]bool{}
	for _, s := range play(t, api, 80, 1, clock, 1) {
		used[s.Method+" "+s.Template] = true
	}
	for _, r := range api.routes {
		if name := r.Method + " " + r.Template; !used[name] && !strings.HasPrefix(r.Template, "/admin/") {
			t.Errorf("Drive does not use %s", name)
		}
	}
}

// TestConcurrent uses one API from many clients, with resets between; the race detector watches.
func TestConcurrent(t *testing.T) {
	api := New(Dials{})
	var clients sync.WaitGroup
	for i := range 4 {
		clients.Go(func() {
			d := &proving.Direct{API: subject(api), Port: 80}
			for range 2 {
				// Another client's reset may take an id away: that ends this drive, and is no fault of the API.
				_ = DriveBy(t.Context(), "http://klinik.test", 1, d, func(context.Context, time.Duration) error { return nil })
				if i == 0 {
					proving.Ask(api, "POST", "/admin/reset", "")
				}
			}
			for _, s := range d.Steps {
				if s.Status >= 500 && s.Template != "/system/fehler" && s.Template != "/apotheke/bestand" {
					t.Errorf("%s %s: %d", s.Method, s.Path, s.Status)
				}
			}
		})
	}
	clients.Wait()
}

// FuzzAPI sends any request at all: no panic, no 500 but the one on purpose, and JSON wherever JSON is promised.
func FuzzAPI(f *testing.F) {
	clock := proving.NewClock(monday, 1)
	for _, s := range play(f, New(Dials{Seed: 1, Clock: clock.Read}), 80, 1, clock, 1) {
		f.Add(s.Method, s.Path, "application/json", s.Body)
	}
	for _, body := range []string{`{"patient":"` + seedPatientID + `","station":"ITS-1"}`, `{"bericht":"R-0001","kopien":-1}`, `{"material":"x","analysen":["HB","HB"]}`,
		`{"station":"KIN-2"}`, `{"thema":"hell"}`, "--x\r\nContent-Disposition: form-data; name=\"text\"\r\n\r\na\r\n--x--", "\xff\xfe", `{"a":`} {
		for _, path := range []string{"/aufnahmen", "/berichte", "/proben", "/einstellungen", "/nachrichten", "/aufnahmen/A-2026-000001/verlegung"} {
			f.Add("POST", path, "application/json; charset=utf-8", []byte(body))
			f.Add("PUT", path, "multipart/form-data; boundary=x", []byte(body))
		}
	}
	f.Add("GET", "/patienten?zeiger=%ff&name=%00", "", []byte{})
	api := New(Dials{Seed: 1})
	f.Fuzz(func(t *testing.T, method, target, kind string, body []byte) {
		u, err := url.ParseRequestURI(target)
		if err != nil || strings.HasPrefix(u.Path, "/admin/dials") {
			return // net/http refuses the first; the second may make the API wait
		}
		r := httptest.NewRequest("GET", "/", io.NopCloser(strings.NewReader(string(body))))
		r.Method, r.URL = method, u
		r.Header.Set("Content-Type", kind)
		w := httptest.NewRecorder()
		api.ServeHTTP(w, r)
		if w.Code >= 500 && u.Path != "/system/fehler" && w.Code != http.StatusServiceUnavailable {
			t.Errorf("%s %s: %d %s", method, target, w.Code, w.Body)
		}
		if strings.HasSuffix(w.Header().Get("Content-Type"), "json") && w.Header().Get("Content-Type") != "application/x-ndjson" && !gjson.ValidBytes(w.Body.Bytes()) {
			t.Errorf("%s %s: no JSON: %q", method, target, w.Body)
		}
	})
}
