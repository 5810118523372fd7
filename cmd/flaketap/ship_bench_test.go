package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/capture/hub"
	"github.com/flaketap/flaketap/capture/hub/server"
	"github.com/flaketap/flaketap/capture/ship"
	"github.com/flaketap/flaketap/capture/ship/block"
	"github.com/flaketap/flaketap/store"
)

// BenchmarkShip compares a recorder that sends what it stores to a hub on the same machine with one that does not: what
// the client has of it, and the processor time. Then it tells how many bytes were sent for each byte that was recorded.
// Runs that are repeated (-count) take turns.
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
	b.Run("alone", func(b *testing.B) { alone.load(b, 8, false) })
	b.Run("to-a-hub", func(b *testing.B) { sending.load(b, 8, false) })
	b.Run("bytes", func(b *testing.B) {
		b.ReportMetric(shippedShare(b, db, s.Address()+"/bytes", credential), "sent/recorded")
	})
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
