package store

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"reflect"
	"testing"

	"go.etcd.io/bbolt"
	"pgregory.net/rapid"

	"github.com/flaketap/flaketap/exchange"
)

// noise returns n bytes that nothing compresses; equal seeds give equal bytes.
func noise(seed byte, n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{seed}).Read(b)
	return b
}

// pieces returns how many pieces of bodies a store has.
func pieces(t testing.TB, s *Store) (n int) {
	t.Helper()
	if err := s.view(func(tx *bbolt.Tx) error {
		n = tx.Bucket(bucketBodies).Stats().KeyN
		if sums := tx.Bucket(bucketSums).Stats().KeyN; sums != n {
			t.Errorf("%d pieces have %d sums", n, sums)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestBodies hands bodies of every size over, whole or in pieces of any size, and reads them back.
func TestBodies(t *testing.T) {
	s := newStore(t, Options{QueueBytes: 1 << 20})
	source := noise(1, 5*exchange.PieceSize)
	var want []*exchange.Exchange
	rapid.Check(t, func(t *rapid.T) {
		e := newExchange(len(want))
		draw := func(what string) []byte {
			n := rapid.SampledFrom([]int{0, 1, inlineBytes, inlineBytes + 1, exchange.PieceSize, exchange.PieceSize + 1, 2*exchange.PieceSize + inlineBytes + 1, 5 * exchange.PieceSize}).Draw(t, what)
			return source[:n:n]
		}
		e.Request.Body, e.Response.Body = draw("request"), draw("response")
		if rapid.Bool().Draw(t, "fault") {
			e.Fault = &exchange.Fault{Kind: exchange.FaultTruncated, Seen: e.Response.Message}
			e.Response = nil
		}
		whole := *e // with an outcome of its own: the store still reads that of e when Record has returned
		if e.Fault != nil {
			fault := *e.Fault
			whole.Fault = &fault
		} else {
			response := *e.Response
			whole.Response = &response
		}
		if rapid.Bool().Draw(t, "in pieces") {
			for len(e.Request.Body) > 0 && rapid.Bool().Draw(t, "another piece") {
				n := rapid.IntRange(1, min(len(e.Request.Body), exchange.PieceSize)).Draw(t, "piece")
				part, err := s.Keep(e.Request.Body[:n])
				if err != nil {
					t.Fatal(err)
				}
				e.Request.Parts, e.Request.Body = append(e.Request.Parts, part), e.Request.Body[n:]
			}
		}
		if err := s.Record(e); err != nil {
			t.Fatal(err)
		}
		whole.Seq, whole.Pass = e.Seq, e.Pass
		for _, m := range []*exchange.Message{&whole.Request.Message} {
			if len(m.Body) == 0 {
				m.Body = nil
			}
		}
		if whole.Response != nil && len(whole.Response.Body) == 0 {
			whole.Response.Body = nil
		} else if whole.Fault != nil && len(whole.Fault.Seen.Body) == 0 {
			whole.Fault.Seen.Body = nil
		}
		want = append(want, &whole)
	})
	if err := s.Flush(); err != nil {
		t.Fatal(err)
	}
	got := collect(t, s)
	if len(got) != len(want) {
		t.Fatalf("%d exchanges, want %d", len(got), len(want))
	}
	for i, e := range got {
		if !reflect.DeepEqual(e, want[i]) {
			t.Fatalf("exchange %d changed: bodies of %d and %d bytes", i, len(e.Request.Body), len(want[i].Request.Body))
		}
		seqs, err := s.ByFingerprint(exchange.Exact(want[i]))
		if err != nil || !reflect.DeepEqual(seqs, []uint64{e.Seq}) {
			t.Fatalf("exchange %d is found at %v, %v", i+1, seqs, err)
		}
	}
}

// TestSameBodies sees that a body is stored once, in exchanges and in the runs of another process too.
func TestSameBodies(t *testing.T) {
	s := newStore(t, Options{})
	body := noise(1, 5*exchange.PieceSize/2)
	send := func(s *Store) {
		t.Helper()
		e := newExchange(1)
		e.Request.Body, e.Response.Body = body, body
		if err := s.Record(e); err != nil {
			t.Fatal(err)
		}
	}
	send(s)
	send(s)
	part, err := s.Keep(body[:exchange.PieceSize])
	if err != nil || part.Number != 1 {
		t.Errorf("a piece that is known is number %d, %v", part.Number, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if s, err = Open(s.Path(), Options{}); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	w := beginRun(t, s)
	o := newObservation(1, string(body))
	o.Sent.Body = noise(2, 100_000)
	observe(t, w, o)
	if err := s.Flush(); err != nil {
		t.Fatal(err)
	}
	if n := pieces(t, s); n != 4 {
		t.Errorf("%d pieces are stored, want the 3 of one body and the 1 of another", n)
	}
	for step, err := range s.Steps() {
		if err != nil {
			t.Fatal(err)
		}
		if step.Exchange.Seq == 1 && !reflect.DeepEqual(step.Observations, []*exchange.Observation{o}) {
			t.Error("the observation changed")
		}
	}
}

func TestKeepRefuses(t *testing.T) {
	s := newStore(t, Options{})
	for _, n := range []int{0, exchange.PieceSize + 1} {
		if _, err := s.Keep(make([]byte, n)); err == nil {
			t.Errorf("Keep took a piece of %d bytes", n)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Keep([]byte("x")); !errors.Is(err, ErrClosed) {
		t.Errorf("Keep after Close: %v", err)
	}
}

func TestKnownPieces(t *testing.T) {
	var k knownPieces
	sum := func(n int) pieceSum { return pieceSum{byte(n), byte(n >> 8), byte(n >> 16)} }
	k.add(sum(0), 1)
	for n := 1; n < 4*knownMost; n++ {
		k.add(sum(n), uint64(n+1))
		if got, ok := k.find(sum(0)); !ok || got != 1 {
			t.Fatalf("after %d pieces one that is asked for all the time is forgotten", n)
		}
		if got, ok := k.find(sum(max(0, n-knownMost/4))); !ok || got != uint64(max(0, n-knownMost/4)+1) {
			t.Fatalf("after %d pieces a recent one is forgotten", n)
		}
		if len(k.young)+len(k.old) > 2*knownMost+2 {
			t.Fatalf("%d pieces are remembered", len(k.young)+len(k.old))
		}
	}
}

// TestDrop has the writer stand still, and sees that what there is no room for then is counted, before anything else
// is stored and after.
func TestDrop(t *testing.T) {
	s := newStore(t, Options{Drop: true, QueueBytes: 64 << 10})
	release := stall(t, s)
	const sent = 400
	for i := range sent {
		if err := s.Record(newExchange(i)); err != nil {
			t.Fatal(err)
		}
	}
	if part, err := s.Keep(noise(1, 64<<10)); err != nil || part != (exchange.Part{}) {
		t.Errorf("Keep without room: %v, %v", part, err)
	}
	large := newExchange(sent)
	large.Response.Body = noise(2, 100<<10)
	if err := s.Record(large); err != nil || large.Seq != 0 {
		t.Errorf("Record without room gave position %d, %v", large.Seq, err)
	}
	release()
	if err := s.Flush(); err != nil {
		t.Fatal(err)
	}
	dropped := func() int {
		rec, err := s.Recording()
		if err != nil {
			t.Fatal(err)
		}
		return rec.Passes[len(rec.Passes)-1].Dropped
	}
	stored := len(collect(t, s))
	if stored == 0 || stored == sent || dropped() != sent+1-stored {
		t.Errorf("of %d exchanges %d are stored, and %d counted as lost", sent+1, stored, dropped())
	}
	if err := s.EndPass(testStart); err != nil {
		t.Fatal(err)
	}
	if dropped() != sent+1-stored {
		t.Errorf("after the pass %d are counted as lost, want %d", dropped(), sent+1-stored)
	}
	beginPass(t, s)
	record(t, s, 1)
	if dropped() != 0 {
		t.Errorf("the next pass counts %d as lost", dropped())
	}
}

// stall has the writer of a store wait until release is called.
func stall(t *testing.T, s *Store) (release func()) {
	t.Helper()
	busy, free := make(chan struct{}), make(chan struct{})
	done := make(chan error, 1)
	go func() {
		done <- s.change(func(*bbolt.Tx) error {
			close(busy)
			<-free
			return nil
		})
	}()
	<-busy
	return func() {
		close(free)
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// TestDamagedBlocks changes one byte in each value of a file in turn, and sees that this is noticed, that what is
// concerned is named, and that everything else can still be read.
func TestDamagedBlocks(t *testing.T) {
	s := newStore(t, Options{})
	for i := range 300 {
		e := newExchange(i)
		if i == 250 {
			e.Response.Body = noise(1, exchange.PieceSize+inlineBytes+1)
		}
		if err := s.Record(e); err != nil {
			t.Fatal(err)
		}
	}
	w := beginRun(t, s)
	for seq := range uint64(300) {
		observe(t, w, newObservation(seq+1, "x"))
	}
	if err := s.Flush(); err != nil {
		t.Fatal(err)
	}
	for _, bucket := range [][]byte{bucketExchanges, bucketBodies, bucketObservations} {
		for k, value := range values(t, s, bucket) {
			at := rand.IntN(len(value))
			bad := bytes.Clone(value)
			bad[at] ^= 1 << rand.IntN(8)
			put(t, s, bucket, []byte(k), bad)
			lost, found := readDamaged(t, s)
			for _, d := range found {
				if (d.Run > 0) != (string(bucket) == "observations") {
					t.Errorf("a damaged block of %s gave %v", bucket, d)
				}
			}
			if len(found) != 1 || lost == 0 || lost > blockRecords {
				t.Errorf("byte %d of a block of %s changed: %d records are lost, and %v", at, bucket, lost, found)
			}
			put(t, s, bucket, []byte(k), value)
		}
	}
	if lost, found := readDamaged(t, s); lost != 0 || len(found) != 0 {
		t.Errorf("%d records are lost where nothing is damaged", lost)
	}
	// A block in the place of another one is no better than a damaged one.
	all := values(t, s, bucketExchanges)
	put(t, s, bucketExchanges, seqKey(1), all[string(seqKey(65))])
	if lost, found := readDamaged(t, s); lost == 0 || len(found) != 1 || found[0].First != 1 {
		t.Errorf("a block in the wrong place: %d records are lost, and %v", lost, found)
	}
}

// readDamaged reads everything, and returns how many exchanges and observations are missing of 300 each, and what is
// said of them.
func readDamaged(t *testing.T, s *Store) (lost int, found []*DamageError) {
	t.Helper()
	lost = 600
	for step, err := range s.Steps() {
		var d *DamageError
		switch {
		case errors.As(err, &d):
			found = append(found, d)
		case err != nil:
			t.Fatal(err)
		default:
			lost -= 1 + len(step.Observations)
		}
	}
	for _, d := range found { // with an exchange the observations of it are gone from the steps
		if d.Run == 0 {
			lost -= int(d.Last - d.First + 1)
		}
	}
	return lost, found
}

// values returns the blocks of a bucket by their keys; of observations those of the first run.
func values(t *testing.T, s *Store, bucket []byte) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	if err := s.view(func(tx *bbolt.Tx) error {
		return blocks(tx, bucket).ForEach(func(k, v []byte) error {
			out[string(k)] = bytes.Clone(v)
			return nil
		})
	}); err != nil {
		t.Fatal(err)
	}
	return out
}

func put(t *testing.T, s *Store, bucket, key, value []byte) {
	t.Helper()
	if err := s.change(func(tx *bbolt.Tx) error { return blocks(tx, bucket).Put(key, value) }); err != nil {
		t.Fatal(err)
	}
}

func blocks(tx *bbolt.Tx, bucket []byte) *bbolt.Bucket {
	b := tx.Bucket(bucket)
	if string(bucket) == "observations" {
		return b.Bucket(numberKey(1))
	}
	return b
}
