package portapi

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
	api := New(Dials{Seed: 1, RareChance: -1})
	for _, tt := range []struct {
		name, method, path, body string
		headers                  []string
		want                     int
	}{
		{"unknown path", "GET", "/lighthouse", "", nil, 404},
		{"trailing slash", "GET", "/vessels/", "", nil, 404},
		{"escaped slash", "GET", "/vessels%2F9321483", "", nil, 404},
		{"head", "HEAD", "/vessels/9321483", "", nil, 200},
		{"method", "TRACE", "/vessels", "", nil, 405},
		{"no media type", "POST", "/bookings", "{}", []string{"Content-Type", ""}, 415},
		{"null", "POST", "/bookings", "null", nil, 400},
		{"two documents", "POST", "/bookings", "{}{}", nil, 400},
		{"unknown member", "POST", "/bookings", `{"x":1}`, nil, 400},
		{"too long", "POST", "/bookings", `"` + strings.Repeat("x", maxBody), nil, 413},
		{"rules", "POST", "/bookings", `{"berth":"B1"}`, nil, 422},
		{"right", "POST", "/bookings", `{"berth":"B1","line":1,"ship":"9321483"}`, nil, 201},
		{"no If-Match", "PATCH", "/bookings/BK-001203", `{"berth":"B2"}`, nil, 428},
		{"stale If-Match", "PATCH", "/bookings/BK-001203", `{"berth":"B2"}`, []string{"If-Match", `W/"9"`}, 412},
		{"no berth", "PATCH", "/bookings/BK-001203", `{"berth":""}`, []string{"If-Match", `W/"1"`}, 422},
		{"nobody", "GET", "/auth/session", "", nil, 401},
		{"unknown token", "POST", "/auth/introspect", `{"token":"a.b.c"}`, nil, 404},
		{"locked in one less", "POST", "/auth/token", `{"client_id":"gate-1","client_secret":"x"}`, nil, 401},
		{"locked", "POST", "/auth/token", `{"client_id":"gate-1","client_secret":"x"}`, nil, 423},
		{"locked with the right secret", "POST", "/auth/token", `{"client_id":"gate-1","client_secret":"` + officeSecret + `"}`, nil, 423},
		{"no container", "POST", "/containers/XXXX0000000/moves", `{"to":"x"}`, nil, 404},
		{"berths' names run together", "GET", "/berths/1B/now", "", nil, 404},
		{"bad dial", "PUT", "/admin/dials", `{"latency":"1h"}`, nil, 400},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := proving.Ask(api, tt.method, tt.path, tt.body, tt.headers...)
			if w.Code != tt.want {
				t.Errorf("status %d, want %d: %s", w.Code, tt.want, w.Body)
			}
			if w.Code >= 400 && !gjson.ValidBytes(w.Body.Bytes()) {
				t.Errorf("the refusal is no JSON: %s", w.Body)
			}
		})
	}
}

// TestLanguages proves that a day is written as each language's readers expect it.
func TestLanguages(t *testing.T) {
	sunday := time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)
	api := New(Dials{Seed: 1, Clock: func() time.Time { return sunday }})
	for lang, want := range map[string][3]string{
		"":      {"Sunday, November 22, 2026", "11/22/2026", "22 Nov 26"},
		"en-GB": {"Sunday, 22 November 2026", "22/11/2026", "22 Nov 26"},
		"fr-CH": {"dimanche 22 novembre 2026", "22/11/2026", "22 nov. 26"},
		"de":    {"Sonntag, 22. November 2026", "22.11.2026", "22. Nov. 26"},
		"es":    {"domingo, 22 de noviembre de 2026", "22/11/2026", "22 nov 26"},
		"ja":    {"2026年11月22日日曜日", "2026/11/22", "26年11月22日"},
		"ar":    {"الأحد، ٢٢ نوفمبر ٢٠٢٦", "٢٢/١١/٢٠٢٦", "٢٢ نوفمبر ٢٦"},
		"pl":    {"niedziela, 22 listopada 2026", "22.11.2026", "22 lis 26"},
	} {
		body := gjson.ParseBytes(proving.Ask(api, "GET", "/board", "", "Accept-Language", lang).Body.Bytes())
		if got := [3]string{body.Get("headline").String(), body.Get("numeric").String(), body.Get("brief").String()}; got != want {
			t.Errorf("%q: %q, want %q", lang, got, want)
		}
		if got := body.Get("in_english").String(); got != "Sunday, November 22, 2026" {
			t.Errorf("%q: beside it %q", lang, got)
		}
	}
}

// TestSeed proves that a seed repeats an API's randomness, that without one two APIs differ, and that a reset does not
// go back to it.
func TestSeed(t *testing.T) {
	draw := func(api *API) string { return proving.Ask(api, "GET", "/crash", "").Header().Get("X-B3-Traceid") }
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
	api, counts := New(Dials{Seed: 4}), map[string]float64{}
	const n = 20000
	for range n {
		w := proving.Ask(api, "GET", "/sensors/q1", "")
		body := gjson.ParseBytes(w.Body.Bytes())
		for name, odd := range map[string]bool{
			"busy": w.Code == 503, "gate": body.Get("gate").String() == "jammed", "bell": body.Get("bell").String() == "fog",
			"lamp": body.Get("lamp").String() == "fault", "wind": body.Get("wind").String() == "gusts",
			"tide": body.Get("tide_gate").String() == "down",
		} {
			if odd {
				counts[name]++
			}
		}
	}
	for name, want := range map[string]float64{"busy": 0.02, "gate": 0.001, "bell": 0.005, "lamp": 0.02, "wind": 0.2,
		"tide": 0.5} {
		if got := counts[name] / n; got < 0.5*want || got > 1.6*want {
			t.Errorf("%s: %.4f of the answers, want %.4f", name, got, want)
		}
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
	if err := Drive(t.Context(), "http://127.0.0.1:1", 1); err == nil || !strings.Contains(err.Error(), "drive lockout-1: send request") {
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
				_ = DriveBy(t.Context(), "http://port.test", 1, d, func(context.Context, time.Duration) error { return nil })
				if i == 0 {
					proving.Ask(api, "POST", "/admin/reset", "")
				}
			}
			for _, s := range d.Steps {
				if s.Status >= 500 && s.Template != "/crash" && s.Template != "/sensors/{quay}" {
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
	for _, body := range []string{`{"berth":"B3","line":7,"ship":"9321483"}`, `{"captain":"A","born":"x","goods":""}`, `{"to":"x"}`,
		`{"title":"a","until":"b"}`, officeLogin, "\xff\xfe", `{"a":`} {
		for _, path := range []string{"/bookings", "/declarations", "/containers/MSCU6639870/moves", "/notices", "/auth/token"} {
			f.Add("POST", path, "application/json; charset=utf-8", []byte(body))
		}
	}
	f.Add("GET", "/berths/%42%31/now?x=%ff", "", []byte{})
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
		if w.Code >= 500 && u.Path != "/crash" && w.Code != http.StatusServiceUnavailable && w.Code != http.StatusInsufficientStorage {
			t.Errorf("%s %s: %d %s", method, target, w.Code, w.Body)
		}
		if strings.HasSuffix(w.Header().Get("Content-Type"), "json") && !gjson.ValidBytes(w.Body.Bytes()) {
			t.Errorf("%s %s: no JSON: %q", method, target, w.Body)
		}
	})
}
