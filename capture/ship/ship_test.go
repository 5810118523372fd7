package ship

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
)

// A key is what a file holds, too short ones are refused, and the terms tell keys apart without giving one away.
func TestKeyFile(t *testing.T) {
	write := func(name, content string) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	key := func(path string) []byte {
		key, err := KeyFile(path)
		if err != nil || len(key) != 32 {
			t.Fatalf("%d bytes, %v", len(key), err)
		}
		return key
	}
	a, same, b := key(write("a", strings.Repeat("a", 32))), key(write("s", strings.Repeat("a", 32))), key(write("b", strings.Repeat("b", 16)))
	if TokensOf(a) != TokensOf(same) || TokensOf(a) == TokensOf(b) {
		t.Errorf("%s, %s, %s", TokensOf(a), TokensOf(same), TokensOf(b))
	}
	if _, err := KeyFile(write("short", "sesame")); err == nil || !strings.Contains(err.Error(), "16 or more") {
		t.Errorf("a short key: %v", err)
	}
	if _, err := KeyFile("no/such"); err == nil {
		t.Error("a file that is not there is a key")
	}
}

// Recorders that share a key are told apart, and a copy of a file is the same recorder, however far it goes.
func TestIdentity(t *testing.T) {
	pass := exchange.Pass{Number: 1, Started: time.Unix(1, 0)}
	one := exchange.Recording{Key: []byte("k"), Passes: []exchange.Pass{pass}}
	further := exchange.Recording{Key: []byte("k"), Count: 7, Passes: []exchange.Pass{pass, {Number: 2}}}
	further.Passes[0].Ended = time.Unix(9, 0)
	if Identity(one) != Identity(further) {
		t.Error("a file that goes further is another recorder")
	}
	pass.Started = time.Unix(1, 1)
	if other := (exchange.Recording{Key: []byte("k"), Passes: []exchange.Pass{pass}}); Identity(one) == Identity(other) {
		t.Error("two recorders with one key are the same")
	}
}
