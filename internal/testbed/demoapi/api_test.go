package demoapi

import (
	"context"
	"encoding/json"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"

	"github.com/flaketap/flaketap/internal/testbed/proving"
)

func TestStatuses(t *testing.T) {
	bearer := "Bearer " + PersonalToken
	tests := []struct {
		name, method, path, body string
		headers                  []string
		want                     int
	}{
		{"unknown path", "GET", "/nothing", "", nil, 404},
		{"trailing slash", "GET", "/products/", "", nil, 404},
		{"empty segment", "GET", "//products", "", nil, 404},
		{"escaped slash", "GET", "/products%2F1", "", nil, 404},
		{"id with sign", "GET", "/products/+1", "", nil, 404},
		{"id beyond int", "GET", "/products/99999999999999999999", "", nil, 404},
		{"id with zero", "GET", "/products/01", "", nil, 404},
		{"head", "HEAD", "/products/1", "", nil, 200},
		{"method", "TRACE", "/products/1", "", nil, 405},
		{"no media type", "POST", "/guestbook", "{}", []string{"Content-Type", ""}, 415},
		{"no JSON", "POST", "/guestbook", "{", nil, 400},
		{"null", "POST", "/guestbook", "null", nil, 400},
		{"array", "POST", "/guestbook", "[]", nil, 400},
		{"two documents", "POST", "/guestbook", "{}{}", nil, 400},
		{"unknown member", "POST", "/guestbook", `{"x":1}`, nil, 400},
		{"wrong type", "POST", "/guestbook", `{"author":1}`, nil, 400},
		{"deep", "POST", "/imports", strings.Repeat(`{"a":`, 12_000), nil, 400},
		{"too long", "POST", "/guestbook", `"` + strings.Repeat("x", maxBody), nil, 413},
		{"rules", "POST", "/guestbook", `{"author":"","text":"x"}`, nil, 422},
		{"right", "POST", "/guestbook", `{"author":"x","text":"x"}`, nil, 201},
		{"limit", "GET", "/products?limit=51", "", nil, 422},
		{"tag", "GET", "/products?tag=soup", "", nil, 422},
		{"past the end", "GET", "/products?offset=1000000", "", nil, 200},
		{"cursor", "GET", "/search?q=o&cursor=%00", "", nil, 400},
		{"nobody", "GET", "/orders", "", nil, 401},
		{"wrong token", "GET", "/orders", "", []string{"Authorization", "Bearer a.b.c"}, 401},
		{"personal token", "GET", "/orders", "", []string{"Authorization", bearer}, 200},
		{"seed order", "GET", "/orders/" + seedOrderID, "", []string{"Authorization", bearer}, 200},
		{"seed order kept", "DELETE", "/orders/" + seedOrderID, "", []string{"Authorization", bearer}, 409},
		{"seed product kept", "DELETE", "/products/1", "", nil, 409},
		{"no CSRF token", "POST", "/cart/items", `{"product":1,"quantity":1}`, []string{"Authorization", bearer}, 403},
		{"stale If-Match", "PUT", "/products/1", `{"name":"x","tag":"book","priceCents":1}`, []string{"If-Match", `"p1-r9"`}, 412},
		{"fresh If-Match", "PUT", "/products/1", `{"name":"x","tag":"book","priceCents":1}`, []string{"If-Match", `"p1-r1"`}, 200},
		{"unchanged", "GET", "/products/2", "", []string{"If-None-Match", `"p2-r1"`}, 304},
		{"changed", "GET", "/products/2", "", []string{"If-None-Match", `"p2-r7"`}, 200},
		{"crash", "GET", "/debug/crash", "", nil, 500},
		{"object of no name", "GET", "/debug/objects/a%20b", "", nil, 404},
		{"wrong dial", "PUT", "/admin/dials", `{"latency":"1h"}`, nil, 400},
		{"wrong fault", "PUT", "/admin/dials", `{"fault":"all"}`, nil, 400},
	}
	api := New(Dials{Seed: 1})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := proving.Ask(api, tt.method, tt.path, tt.body, tt.headers...)
			if w.Code != tt.want {
				t.Errorf("%s %s: %d, want %d: %s", tt.method, tt.path, w.Code, tt.want, w.Body)
			}
			if w.Code >= 400 && tt.method != "HEAD" && !gjson.ValidBytes(w.Body.Bytes()) {
				t.Errorf("the refusal is no JSON: %s", w.Body)
			}
		})
	}
}

func TestLocalised(t *testing.T) {
	api := New(Dials{Seed: 1})
	for header, want := range map[string]string{
		"":                           "must be between 1 and 50",
		"de-AT":                      "muss zwischen 1 und 50 liegen",
		"fr;q=0.2, de;q=0.8, *;q=.9": "muss zwischen 1 und 50 liegen",
		"vi, fr":                     "doit être compris entre 1 et 50",
		"de;q=0":                     "must be between 1 and 50",
		";;,=,q=":                    "must be between 1 and 50",
	} {
		got := gjson.Get(proving.Ask(api, "GET", "/products?limit=0", "", "Accept-Language", header).Body.String(), "violations.0.message").String()
		if got != want {
			t.Errorf("Accept-Language %q: %q, want %q", header, got, want)
		}
	}
}

// TestFaults proves that each fault shows wherever a client touches the catalogue, and nothing else does.
func TestFaults(t *testing.T) {
	currency := regexp.MustCompile(`"currency":"EUR"`)
	for _, fault := range append(Faults(), FaultNone) {
		for _, path := range []string{"/products", "/products/1"} {
			t.Run(string(fault)+path, func(t *testing.T) {
				w := proving.Ask(New(Dials{Seed: 1, Fault: fault}), "GET", path, "")
				wantStatus, wantCurrency := 200, true
				switch fault {
				case FaultStatus:
					wantStatus = 203
				case FaultField, FaultDrop:
					wantCurrency = false
				}
				if w.Code != wantStatus || currency.MatchString(w.Body.String()) != wantCurrency {
					t.Errorf("%d %s", w.Code, w.Body)
				}
				if dropped := !strings.Contains(w.Body.String(), "currency"); dropped != (fault == FaultDrop) {
					t.Errorf("currency gone: %v", dropped)
				}
			})
		}
	}
	if _, err := ParseFault("all"); err == nil {
		t.Error("a fault of no kind was read")
	}
}

// TestSeed proves that a seed repeats an API's randomness, and that without one two APIs differ.
func TestSeed(t *testing.T) {
	noise := func(d Dials) string { return proving.Ask(New(d), "GET", "/odd/noise", "").Body.String() }
	if a, b := noise(Dials{Seed: 5}), noise(Dials{Seed: 5}); a != b {
		t.Error("two APIs with one seed differ")
	}
	if a, b := noise(Dials{Seed: 5}), noise(Dials{Seed: 6}); a == b {
		t.Error("two APIs with two seeds agree")
	}
	if a, b := noise(Dials{}), noise(Dials{}); a == b {
		t.Error("two APIs without a seed agree")
	}
	api := New(Dials{Seed: 5})
	a := proving.Ask(api, "GET", "/odd/noise", "").Body.String()
	proving.Reset(t, api)
	if b := proving.Ask(api, "GET", "/odd/noise", "").Body.String(); a == b {
		t.Error("a reset went back to the seed")
	}
}

func TestDials(t *testing.T) {
	clock := proving.NewClock(noon, 1)
	clock.Frozen = true
	api := New(Dials{Seed: 1, Clock: clock.Read, ClockSpeed: 10})
	seconds := func() int64 {
		return gjson.Get(proving.Ask(api, "GET", "/health", "").Body.String(), "clock.epochSeconds").Int()
	}
	clock.Frozen = false
	clock.Advance(time.Minute)
	clock.Frozen = true
	if got, want := seconds(), noon.Add(10*time.Minute).Unix(); got != want {
		t.Errorf("at ten times the speed: %d, want %d", got, want)
	}
	w := proving.Ask(api, "PUT", "/admin/dials", `{"clockSpeed":1,"clockOffset":"-1h","nullChance":-1,"fieldChance":1,"rareChance":1,"fault":"drop"}`)
	var got dialsJSON
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != 200 {
		t.Fatalf("%d %v: %s", w.Code, err, w.Body)
	}
	if *got.ClockOffset != "-1h0m0s" || *got.Fault != "drop" || *got.Seed != 1 {
		t.Errorf("dials: %s", w.Body)
	}
	if got, want := seconds(), noon.Add(-59*time.Minute).Unix(); got != want {
		t.Errorf("an hour back: %d, want %d", got, want)
	}
	want := `{"name":"Maybe","discount":10,"coupon":"SPRING","banner":"Maintenance tonight"`
	for range 20 {
		if got := proving.Ask(api, "GET", "/odd/maybe", "").Body.String(); !strings.HasPrefix(got, want) {
			t.Fatalf("with all chances set: %s", got)
		}
	}
}

// TestChances proves that what moves in some answers does so about as often as is said.
func TestChances(t *testing.T) {
	api := New(Dials{Seed: 4})
	const n = 6000
	var null, there, text, rare float64
	for range n {
		v := gjson.ParseBytes(proving.Ask(api, "GET", "/odd/maybe", "").Body.Bytes())
		if v.Get("discount").Type == gjson.Null {
			null++
		}
		if v.Get("coupon").Exists() {
			there++
		}
		if v.Get("delivery").Type == gjson.String {
			text++
		}
		if v.Get("banner").String() != "Welcome" {
			rare++
		}
	}
	for _, x := range []struct {
		name      string
		got, want float64
	}{{"null", null / n, 1.0 / 5}, {"there", there / n, 1.0 / 3}, {"text", text / n, 1.0 / 4},
		{"rare", rare / n, 1.0 / 30}} {
		if x.got < x.want*0.85 || x.got > x.want*1.15 {
			t.Errorf("%s in %.3f of the answers, want %.3f", x.name, x.got, x.want)
		}
	}
}

// TestConcurrent uses one API from many clients, with resets between; the race detector watches.
func TestConcurrent(t *testing.T) {
	api := New(Dials{})
	var clients sync.WaitGroup
	for i := range 8 {
		clients.Go(func() {
			d := &proving.Direct{API: subject(api), Port: 80}
			for range 3 {
				// Another client's reset may take an id away: that ends this drive, and is no fault of the API.
				_ = DriveBy(t.Context(), "http://api.test", 1, d, func(context.Context, time.Duration) error { return nil })
				if i == 0 {
					proving.Ask(api, "POST", "/admin/reset", "")
				}
			}
			for _, s := range d.Steps {
				if s.Status >= 500 && s.Template != "/debug/crash" {
					t.Errorf("%s %s: %d", s.Method, s.Path, s.Status)
				}
			}
		})
	}
	clients.Wait()
}

// TestReset proves what a reset clears and what it does not.
func TestReset(t *testing.T) {
	api := New(Dials{})
	count := func(path, member string) int64 {
		return gjson.Get(proving.Ask(api, "GET", path, "").Body.String(), member).Int()
	}
	got := func() []int64 {
		return []int64{count("/guestbook", "count"), count("/journal", "total"), count("/visits", "ever"), count("/visits", "sinceReset")}
	}
	before := got()
	proving.Reset(t, api)
	if diff := cmp.Diff([][]int64{{3, 3, 1, 2}, {0, 0, 3, 2}}, [][]int64{before, got()}); diff != "" {
		t.Errorf("what is left (-want +got):\n%s", diff)
	}
	if fresh := New(Dials{Fresh: true}); gjson.Get(proving.Ask(fresh, "GET", "/guestbook", "").Body.String(), "count").Int() != 0 {
		t.Error("a fresh API has a guestbook with entries")
	}
}

// TestTokens proves that only tokens of this API, unchanged and unexpired, speak for an account.
func TestTokens(t *testing.T) {
	clock := proving.NewClock(noon, 1)
	api, other := New(Dials{Clock: clock.Read}), New(Dials{Clock: clock.Read})
	login := func(a *API) string {
		return gjson.Get(proving.Ask(a, "POST", "/login", adaLogin).Body.String(), "token").String()
	}
	token := login(api)
	none := "eyJhbGciOiJub25lIn0" + token[strings.Index(token, "."):]
	for name, tt := range map[string]struct {
		token string
		want  int
	}{"own": {token, 200}, "another's": {login(other), 401}, "cut": {token[:len(token)-2], 401}, "without algorithm": {none, 401}} {
		if w := proving.Ask(api, "GET", "/me", "", "Authorization", "Bearer "+tt.token); w.Code != tt.want {
			t.Errorf("%s token: %d, want %d", name, w.Code, tt.want)
		}
	}
	clock.Advance(2 * time.Hour)
	if w := proving.Ask(api, "GET", "/me", "", "Authorization", "Bearer "+token); w.Code != 401 {
		t.Errorf("expired token: %d", w.Code)
	}
}
