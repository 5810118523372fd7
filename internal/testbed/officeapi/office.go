// Package officeapi is a small web API that lives on what another service tells it: an exchange office, which asks for
// rates. Of each field of its answers truth.json says whether it moves, and what of that service's answer it follows.
package officeapi

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/flaketap/flaketap/internal/testbed/service"
	"github.com/flaketap/flaketap/internal/testbed/truth"
)

//go:embed truth.json
var truthJSON []byte

// TruthJSON returns the truth file as it is embedded.
func TruthJSON() []byte { return append([]byte(nil), truthJSON...) }

// LoadTruth reads the embedded truth file.
func LoadTruth() (truth.Truth, error) { return truth.Read(truthJSON) }

// Rates is the service that the office asks: GET /latest tells the rate of the dollar, another one each time. The steps
// from one to the next differ, and none is above the first: a rate that grew would be taken for a clock where runs
// happen to begin as far apart.
func Rates() http.Handler {
	const modulus, root = 997, 7 // whose powers are all the numbers below the modulus, once each
	var mu sync.Mutex
	power := 1
	mux := http.NewServeMux()
	mux.HandleFunc("GET /latest", func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		power = power * root % modulus
		usd := float64(2000-power) / 1000
		mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"base": "EUR", "usd": usd}) // who has gone is told nothing
	})
	return mux
}

// StartRates serves that on a free port of this machine, until ctx ends or stop is called, which waits for the end. at
// is localhost:PORT.
func StartRates(ctx context.Context) (at string, stop func(), err error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, fmt.Errorf("serve rates: %w", err)
	}
	_, port, _ := net.SplitHostPort(ln.Addr().String()) // a listener's address has one
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = service.Serve(ctx, ln, Rates()) // whoever asks it notices when it is gone
	}()
	return "localhost:" + port, func() {
		cancel()
		<-done
	}, nil
}

// maxRates bounds what of an answer is read.
const maxRates = 64 << 10

// patience is how long the office waits for rates.
const patience = 5 * time.Second

// New is the office; rates is the URL of the service that it asks.
func New(rates string) http.Handler {
	client := &http.Client{Timeout: patience}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /health", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	mux.HandleFunc("GET /office", func(w http.ResponseWriter, r *http.Request) {
		var told struct {
			Base string
			USD  float64
		}
		if err := latest(r.Context(), client, rates, &told); err != nil {
			reply(w, http.StatusBadGateway, map[string]any{"error": "rates unavailable"})
			return
		}
		reply(w, http.StatusOK, map[string]any{"office": "Harbor Street 4", "feePercent": 1.5, "openedOn": "1987-04-01",
			"sells": map[string]any{"currency": "USD", "for": told.Base, "rate": told.USD}})
	})
	return mux
}

// latest asks for the rates.
func latest(ctx context.Context, client *http.Client, rates string, into any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(rates, "/")+"/latest", nil)
	if err != nil {
		return fmt.Errorf("ask for rates: %w", err)
	}
	resp, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("ask for rates: %w", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("ask for rates: %s", resp.Status)
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxRates)).Decode(into); err != nil {
		return fmt.Errorf("read rates: %w", err)
	}
	return nil
}

func reply(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // who has gone is told nothing
}

// Serve serves the office on ln until ctx ends.
func Serve(ctx context.Context, ln net.Listener, rates string) error {
	if err := service.Serve(ctx, ln, New(rates)); err != nil {
		return fmt.Errorf("office API: %w", err)
	}
	return nil
}

// Drive asks the office at a URL, so many times.
func Drive(ctx context.Context, baseURL string, rounds int) error {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	defer transport.CloseIdleConnections()
	c := service.NewClient(ctx, baseURL, transport, service.Pause)
	c.Agent = "flaketap-demo"
	return c.Play(rounds, []service.Scenario{{Name: "office", Play: func(c *service.Client) { c.Get("/office") }}})
}
