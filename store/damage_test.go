package store

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
)

// everything reads all that a recording holds and puts it into one text.
func everything(path string) ([]byte, error) {
	s, err := OpenReadOnly(path)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	rec, err := s.Recording()
	if err != nil {
		return nil, err
	}
	runs, err := s.Runs()
	if err != nil {
		return nil, err
	}
	if err := enc.Encode([]any{rec, rec.Key, runs}); err != nil {
		return nil, err
	}
	for step, err := range s.Steps() {
		if err != nil {
			return nil, err
		}
		out.Write(AppendExchange(nil, step.Exchange))
		for _, o := range step.Observations {
			out.Write(AppendObservation(nil, o))
		}
	}
	return out.Bytes(), nil
}

// smallFile makes a recording with a little of everything, its blocks of both forms.
func smallFile(t testing.TB) string {
	t.Helper()
	s := newStore(t, Options{})
	for i := range 3 {
		if i > 0 {
			beginPass(t, s)
		}
		record(t, s, 1+30*i)
		if err := s.EndPass(time.Unix(1_800_000_000+int64(i), 0)); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 3 {
		w := beginRun(t, s)
		for seq := range uint64(60) {
			observe(t, w, newObservation(seq+1, string(rune('a'+i))))
		}
		if err := w.Finish(exchange.Run{Kind: exchange.RunReplay, Label: "a run", Ended: time.Unix(1_800_000_100, 0)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return s.Path()
}

// TestDamageIsNoticed turns bits all over a recording: what is read is what was written, or an error. What the database
// keeps for itself has no checksum. A bit that makes it look at a page of an older commit, where all is whole, may go
// unnoticed; that is one in thousands.
func TestDamageIsNoticed(t *testing.T) {
	needPlainDatabase(t)
	good, err := os.ReadFile(smallFile(t))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "damaged.db")
	read := func(data []byte) ([]byte, error) {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return everything(path)
	}
	want, err := read(good)
	if err != nil {
		t.Fatal(err)
	}
	var used []int // where something stands: most of the file is empty
	for i, b := range good {
		// The two meta pages stand for each other: with one of them damaged the recording is as it was one commit ago,
		// as after a loss of power.
		if b != 0 && i >= 2*pageSize {
			used = append(used, i)
		}
	}
	rounds := 600
	if testing.Short() {
		rounds = 100
	}
	silent := 0
	random := rand.New(rand.NewPCG(1, 2))
	for range rounds {
		at, bit := used[random.IntN(len(used))], byte(1)<<random.IntN(8)
		data := bytes.Clone(good)
		data[at] ^= bit
		if got, err := read(data); err == nil && !bytes.Equal(got, want) {
			silent++
			from := max(at-40, 0)
			t.Logf("bit %#x of byte %d (%d of its page), in %q: another recording is read, without an error",
				bit, at, at%pageSize, good[from:min(at+40, len(good))])
		}
	}
	if silent > rounds/100 {
		t.Errorf("%d of %d went unnoticed", silent, rounds)
	}
}

// TestOldJSON: what was stored before there were checksums is read, and a checksum that does not fit its key or its
// value is damage.
func TestOldJSON(t *testing.T) {
	key, value := numberKey(1), []byte(`{"label":"a"}`)
	var p exchange.Pass
	if err := getJSON(key, value, &p); err != nil || p.Label != "a" {
		t.Errorf("without a checksum: %q, %v", p.Label, err)
	}
	summed := appendSum(key, bytes.Clone(value))
	if err := getJSON(key, summed, &p); err != nil || p.Label != "a" {
		t.Errorf("with a checksum: %q, %v", p.Label, err)
	}
	if err := getJSON(numberKey(2), summed, &p); err == nil {
		t.Error("read under another key")
	}
	if err := getJSON(key, bytes.Replace(summed, []byte(`"a"`), []byte(`"b"`), 1), &p); err == nil {
		t.Error("another value was read")
	}
}
