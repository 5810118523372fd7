package main

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/store"
)

// TestEvalUIReader records 10,000 exchanges a second, with and without a page that follows them, in turns, and tells how
// many were stored, what processor time that took the recorder, and how often the page was told.
func TestEvalUIReader(t *testing.T) {
	const rounds, rate, lasts = 7, 10_000, 6 * time.Second
	var shares, times []float64
	for round := range rounds {
		var stored, spent [2]float64
		for _, reads := range [][]bool{{false, true}, {true, false}}[round%2] {
			b := newBench(t)
			path := filepath.Join(b.dir, "flaketap.db")
			db, err := store.Create(path, store.Options{Live: true, Doing: "recording"})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := db.BeginPass(exchange.Pass{}); err != nil {
				t.Fatal(err)
			}
			told, i, stop := new(atomic.Int64), 0, func() {}
			if reads {
				i = 1
				told, stop = followUI(t, b)
			}
			before := usedTime(t)
			n, took := recordAt(t, db, rate, lasts)
			spent[i] = (usedTime(t) - before).Seconds() / float64(n)
			stored[i] = float64(n) / took.Seconds()
			t.Logf("round %d, reader %t: %.0f exchanges a second, %.1f µs of processor time each, told %d times", round+1, reads, stored[i], spent[i]*1e6, told.Load())
			if stop(); db.Close() != nil {
				t.Fatal("the recording cannot be closed")
			}
		}
		shares, times = append(shares, stored[1]/stored[0]), append(times, spent[1]/spent[0])
	}
	slices.Sort(shares)
	slices.Sort(times)
	t.Logf("with a reader: %.3f of the exchanges (%.3f to %.3f), %.3f of the processor time", shares[rounds/2], shares[0], shares[rounds-1], times[rounds/2])
	if shares[rounds/2] < 0.95 {
		t.Errorf("%.3f of the exchanges, less than 0.95", shares[rounds/2])
	}
}

// recordAt records exchanges at a rate, as far as the store takes them, and returns how many, and how long that took.
func recordAt(t *testing.T, db *store.Store, rate int, lasts time.Duration) (n int, took time.Duration) {
	t.Helper()
	begun := time.Now()
	for tick := time.NewTicker(10 * time.Millisecond); time.Since(begun) < lasts; <-tick.C {
		for due := int(time.Since(begun).Seconds() * float64(rate)); n < due && time.Since(begun) < lasts; n++ {
			body := fmt.Sprintf(`{"order":%d,"total":%d.5,"state":"new","token":"t-%08x-%d"}`, n, n%700, n*2654435761, n%50)
			err := db.Record(&exchange.Exchange{Conn: uint64(n % 32), Start: time.Now(),
				Request:  exchange.ParseRequest(exchange.Message{Head: fmt.Appendf(nil, "GET /orders/%d HTTP/1.1\r\nHost: shop\r\n\r\n", n)}),
				Response: exchange.ParseResponse(exchange.Message{Head: fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", len(body)), Body: []byte(body)})})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := db.Flush(); err != nil {
		t.Fatal(err)
	}
	return n, time.Since(begun)
}

// followUI starts flaketap ui, and follows its events as a page does. It returns how many came, and what ends it.
func followUI(t *testing.T, b *bench) (told *atomic.Int64, stop func()) {
	t.Helper()
	p := b.run(nil, "ui")
	base, token, _ := strings.Cut(p.wait(`(http://127\.0\.0\.1:\d+/#token=\w+)`), "/#token=")
	jar, _ := cookiejar.New(nil)
	client := &http.Client{Jar: jar}
	ask := func(method, path, body, key string) *http.Response {
		r, err := http.NewRequestWithContext(t.Context(), method, base+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Origin", base)
		r.Header.Set("X-Flaketap-Key", key)
		answer, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		return answer
	}
	session := ask(http.MethodPost, "/session", token, "")
	key, err := io.ReadAll(session.Body)
	if err != nil {
		t.Fatal(err)
	}
	events := ask(http.MethodGet, "/events", "", string(key))
	told = new(atomic.Int64)
	go func() {
		for lines := bufio.NewScanner(events.Body); lines.Scan(); {
			if strings.HasPrefix(lines.Text(), "data: ") {
				told.Add(1)
			}
		}
	}()
	return told, func() {
		events.Body.Close()
		p.signal(os.Interrupt)
		p.exit(0)
	}
}

// usedTime is what this process has used so far.
func usedTime(t *testing.T) time.Duration {
	t.Helper()
	used, err := ownTime()
	if err != nil {
		t.Fatal(err)
	}
	return used
}
