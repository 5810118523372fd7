package experiment

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/replay"
	"github.com/flaketap/flaketap/volatility/analysis"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// TestReadsThatSettle: an API whose index lags behind a write answers old at first and new after a few reads. The map
// calls that eventual, with the time that it took, and what no write touches is stable.
func TestReadsThatSettle(t *testing.T) {
	var (
		mu    sync.Mutex
		reads int
		lag   int // reads until what was written is there
	)
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		if r.Method == http.MethodPost {
			reads = 0
			w.WriteHeader(http.StatusCreated)
			return
		}
		reads++
		fmt.Fprintf(w, `{"index":%q,"name":"a thing"}`, map[bool]string{true: "up to date", false: "behind"}[reads > lag])
	}))
	defer api.Close()
	path := filepath.Join(t.TempDir(), "flaketap.db")
	r, err := newRecording(path, api.URL)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"POST /things", "GET /things"} {
		method, target, _ := strings.Cut(line, " ")
		if err := r.exchange(method, target); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.close(); err != nil {
		t.Fatal(err)
	}
	lag = 3
	if err := Run(t.Context(), Options{DB: path, Runs: 3, Player: replay.Player{Settle: time.Minute}}); err != nil {
		t.Fatal(err)
	}
	result, err := analysis.Judge(path, analysis.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range result.Map.Operations {
		if o.Method != http.MethodGet {
			continue
		}
		f := o.At("/body/index")
		if f.Judgement != mapfile.Jitter || f.Category != mapfile.Time || !strings.Contains(strings.Join(f.Evidence, " "), "eventual:") {
			t.Errorf("the index: %s %s %q", f.Judgement, f.Category, f.Evidence)
		}
		for _, place := range []exchange.Place{"/body/name", exchange.PlaceStatus} {
			if f := o.At(place); f.Judgement != mapfile.Stable {
				t.Errorf("%s: %s %s %q", place, f.Judgement, f.Category, f.Evidence)
			}
		}
	}
}
