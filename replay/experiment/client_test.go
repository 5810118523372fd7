package experiment

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/analysis"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// newOffers is an API that tries two variants on its clients, told apart by a cookie that it gives at the first contact:
// the first few see A. It knows programs and addresses, and wants a token for what is private.
func newOffers(t *testing.T, first int) string {
	t.Helper()
	var (
		mu       sync.Mutex
		contacts int
	)
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if r.URL.Path == "/private" {
			if c, err := r.Cookie("session"); err != nil || c.Value != "s3cret" {
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
		}
		variant, program := "", "desktop"
		if c, err := r.Cookie("ab"); err == nil {
			variant = c.Value
		} else {
			if contacts++; contacts <= first || contacts%3 == 0 {
				variant = "A"
			} else {
				variant = "B"
			}
			http.SetCookie(w, &http.Cookie{Name: "ab", Value: variant, Path: "/"})
		}
		if strings.Contains(r.UserAgent(), "iPhone") {
			program = "mobile"
		}
		host, _, _ := net.SplitHostPort(r.RemoteAddr)
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"variant":%q,"layout":%q,"region":%q,"name":"a thing"}`, variant, program,
			map[bool]string{true: "home", false: "abroad"}[host == "127.0.0.1"])
	}))
	t.Cleanup(api.Close)
	return api.URL
}

// TestClients: what an API draws once for each client is told so, beside what it makes of a program and of an address. A
// client that keeps the cookie it was recorded with is no new one, and one that is sent away tells nothing.
func TestClients(t *testing.T) {
	for _, c := range []struct {
		name    string
		target  string
		headers []string
		want    map[exchange.Place]string
	}{
		{"at the first contact", "/offer", nil, map[exchange.Place]string{
			"/body/variant": "would-move Rand moved-only-by:client=fresh per-client",
			"/body/layout":  "hint  moved-only-by:client=agent", "/body/region": "would-move Env moved-only-by:client=address",
			"/body/name": "stable  ", "/status": "stable  ",
		}},
		{"with the cookie of an earlier contact", "/offer", []string{"Cookie: ab=A"}, map[exchange.Place]string{
			"/body/variant": "hint  moved-only-by:client=fresh", "/body/name": "stable  ",
		}},
		{"who has to log in", "/private", []string{"Cookie: ab=A; session=s3cret"}, map[exchange.Place]string{
			"/body/variant": "stable  ", "/status": "stable  ",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			url := newOffers(t, 1+3)
			path := filepath.Join(t.TempDir(), "flaketap.db")
			r, err := newRecording(path, url)
			if err != nil {
				t.Fatal(err)
			}
			if err := r.exchange("GET", c.target, c.headers...); err != nil {
				t.Fatal(err)
			}
			if err := r.close(); err != nil {
				t.Fatal(err)
			}
			if err := Run(t.Context(), Options{DB: path, Runs: 3, Experiments: wanted(t, "client")}); err != nil {
				t.Fatal(err)
			}
			runs := storedRuns(t, path)
			conditions := make([]string, 0, len(runs))
			for _, r := range runs[3:] {
				conditions = append(conditions, strings.Join(r.Conditions.Perturb, " "))
			}
			address := slices.Contains(conditions, exchange.OtherAddress)
			if !slices.Equal(conditions[:2], []string{exchange.FreshClients, exchange.OtherAgent}) {
				t.Fatalf("the conditions are %q", conditions)
			}
			result, err := analysis.Judge(path, analysis.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for place, want := range c.want {
				if place == "/body/region" && !address {
					continue // this machine has one loopback address
				}
				f := result.Map.Operations[0].At(place)
				if got := fmt.Sprintf("%s %s %s", f.Judgement, f.Category, strings.Join(f.Evidence, " ")); got != want {
					t.Errorf("%s is %q, want %q", place, got, want)
				}
				if f.Judgement == mapfile.Stable && f.Changed > 0 {
					t.Errorf("%s changed %d times", place, f.Changed)
				}
			}
		})
	}
}
