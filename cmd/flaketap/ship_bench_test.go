package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/flaketap/flaketap/capture/hub"
	"github.com/flaketap/flaketap/capture/hub/server"
	"github.com/flaketap/flaketap/capture/ship"
	"github.com/flaketap/flaketap/capture/ship/block"
	"github.com/flaketap/flaketap/store"
)

// BenchmarkShip compares a recorder that sends what it stores to a hub on the same machine with one that does not: how
// much longer the same requests take, which share the two cores with both. Then it tells how many bytes were sent for
// each byte that was recorded.
func BenchmarkShip(b *testing.B) {
	r := newRivalry(b, plainHTTP)
	key := filepath.Join(r.dir, "token.key")
	if err := os.WriteFile(key, []byte(strings.Repeat("k", 32)), 0o600); err != nil {
		b.Fatal(err)
	}
	s, err := server.Start(server.Options{Dir: filepath.Join(r.dir, "hub"), Listen: "127.0.0.1:0"})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	credential := filepath.Join(r.dir, "hub", server.CredentialFile)
	alone := r.flaketap(b)
	sending, db := r.recorder(b, "--to", s.Address()+"/bench", "--hub-credential", credential, "--token-key", key)
	b.Run("side-by-side", func(b *testing.B) { besideEachOther(b, alone, sending) })
	share := shippedShare(b, db, s.Address()+"/bytes", credential)
	b.Run("bytes", func(b *testing.B) { b.ReportMetric(share, "sent/recorded") })
}

// turns is how often the two ways take turns, so that both have the same of what else the machine does.
const turns = 21

// besideEachOther sends b.N requests each way, in turns, and reports the median of how much longer a turn of the second
// took, and of its requests.
func besideEachOther(b *testing.B, first, second *way) {
	n := max(b.N/turns, 8)
	var longer, slower []float64
	for i := range turns {
		ways := []*way{first, second}
		if i%2 == 1 {
			slices.Reverse(ways)
		}
		wall, median := map[*way]time.Duration{}, map[*way]time.Duration{}
		for _, w := range ways {
			wall[w], median[w] = w.turn(b, n)
		}
		longer = append(longer, 100*(float64(wall[second])/float64(wall[first])-1))
		slower = append(slower, 100*(float64(median[second])/float64(median[first])-1))
	}
	slices.Sort(longer)
	slices.Sort(slower)
	b.ReportMetric(longer[turns/2], "longer-%")
	b.ReportMetric(slower[turns/2], "p50-slower-%")
}

// turn sends n requests over eight connections, and returns how long that took, and the median of the requests.
func (w *way) turn(b *testing.B, n int) (all, median time.Duration) {
	b.Helper()
	const connections = 8
	work, took := make(chan int, n), make([][]time.Duration, connections)
	for range n {
		work <- w.next
		w.next++
	}
	close(work)
	began := time.Now()
	var wg sync.WaitGroup
	for i := range connections {
		wg.Go(func() {
			if err := w.worker(&took[i], work, false, func() {}); err != nil {
				b.Error(err)
			}
		})
	}
	wg.Wait()
	all = time.Since(began)
	each := slices.Concat(took...)
	slices.Sort(each)
	return all, each[len(each)/2]
}

// shippedShare sends a recording, and returns how many bytes that took for each one that was recorded.
func shippedShare(b *testing.B, path, address, credential string) float64 {
	b.Helper()
	db, err := store.OpenReadOnly(path)
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	raw := 0
	for e, err := range db.Exchanges() {
		if err != nil {
			b.Fatal(err)
		}
		raw += block.Size(e)
	}
	l, err := hub.DialName(address, hub.Options{Credential: credential})
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	shipper, err := ship.Start(db, l, ship.Options{Key: []byte(strings.Repeat("k", 32))})
	if err == nil {
		err = shipper.Finish(b.Context(), time.Minute)
	}
	if err != nil {
		b.Fatal(err)
	}
	return float64(shipper.Bytes()) / float64(raw)
}
