package store

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"reflect"
	"testing"

	"go.etcd.io/bbolt"
)

// blockForms counts the blocks of exchanges and the pieces of bodies in each form.
func blockForms(s *Store) (map[byte]int, error) {
	forms := map[byte]int{}
	err := s.view(func(tx *bbolt.Tx) error {
		count := func(_, v []byte) error {
			forms[v[0]]++
			return nil
		}
		return errors.Join(tx.Bucket(bucketExchanges).ForEach(count), tx.Bucket(bucketBodies).ForEach(count))
	})
	return forms, err
}

// flood records until pieces and blocks of exchanges were packed in a hurry, and returns how many exchanges that took.
func flood(t *testing.T, s *Store) (n int) {
	t.Helper()
	var text []byte
	for i := 0; len(text) < 2*inlineBytes; i++ {
		text = fmt.Appendf(text, `{"id":%d,"token":"%x","state":"open"},`, i, sha256.Sum256(text[:i]))
	}
	for forms := map[byte]int{}; forms[formS2] < 50; {
		for range 500 {
			e := newExchange(n)
			e.Response.Body = append([]byte{byte(n), byte(n >> 8)}, text[:inlineBytes/3+n%20/19*inlineBytes]...)
			if err := s.Record(e); err != nil {
				t.Fatal(err)
			}
			n++
		}
		if err := s.Flush(); err != nil {
			t.Fatal(err)
		}
		var err error
		if forms, err = blockForms(s); err != nil {
			t.Fatal(err)
		}
	}
	return n
}

// TestHurry has a recorder packed in a hurry what comes fast: it can be read as it is, and when it is closed the
// recording is as small as any other.
func TestHurry(t *testing.T) {
	done, total := 0, 0
	s := newStore(t, Options{Live: true, Packing: func(n, of int) {
		if n < done || total > 0 && of != total || total == 0 && n > 0 {
			t.Errorf("%d of %d are packed, after %d of %d", n, of, done, total)
		}
		done, total = n, of
	}})
	n := flood(t, s)
	want := collect(t, s)
	before := usedBytes(s.db)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if done != total || total <= n { // there are pieces of bodies beside
		t.Errorf("%d of %d records were packed, for %d exchanges", done, total, n)
	}
	checkAlone(t, s.Path())
	r, err := OpenReadOnly(s.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	verify(t, r)
	forms, err := blockForms(r)
	if err != nil || forms[formS2] > 0 || forms[formZstd] == 0 {
		t.Errorf("closed, the recording has blocks of the forms %v (%v)", forms, err)
	}
	if info, err := os.Stat(s.Path()); err != nil || info.Size() > before*3/4 {
		t.Errorf("closed, the recording takes %d bytes of %d (%v)", info.Size(), before, err)
	}
	if got := collect(t, r); len(want) != n || !reflect.DeepEqual(got, want) {
		t.Errorf("closed, the recording holds something else: %d exchanges of %d", len(got), n)
	}
}

// TestNoHurry sees that a recording behind which nobody waits is packed well at once, however fast it comes.
func TestNoHurry(t *testing.T) {
	s := newStore(t, Options{})
	record(t, s, 5000)
	if forms, err := blockForms(s); err != nil || forms[formS2] > 0 {
		t.Errorf("blocks have the forms %v (%v)", forms, err)
	}
}

// TestHurryDamaged sees that a recording in which something is damaged stays as it is, and that all else can be read.
func TestHurryDamaged(t *testing.T) {
	s := newStore(t, Options{Live: true})
	n := flood(t, s)
	damaged := uint64(0)
	err := s.db.Update(func(tx *bbolt.Tx) error {
		c := tx.Bucket(bucketExchanges).Cursor()
		for k, v := c.First(); k != nil; k, v = c.Next() {
			if v[0] == formS2 {
				broken := append([]byte{}, v...)
				broken[len(broken)/2] ^= 1
				damaged++
				return c.Bucket().Put(append([]byte{}, k...), broken)
			}
		}
		return nil
	})
	if err != nil || damaged == 0 {
		t.Fatalf("no block to damage: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := OpenReadOnly(s.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	whole, found := 0, 0
	for _, err := range r.Exchanges() {
		if err != nil {
			found++
		} else {
			whole++
		}
	}
	if found != 1 || whole < n-blockRecords || whole == n {
		t.Errorf("of %d exchanges %d are left, and %d damages were found", n, whole, found)
	}
}
