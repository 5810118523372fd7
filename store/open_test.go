package store

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"go.etcd.io/bbolt"
)

// goodFile makes a recording with some content and returns its path.
func goodFile(t *testing.T) string {
	s := newStore(t, Options{})
	record(t, s, 600)
	w := beginRun(t, s)
	for seq := range uint64(600) {
		observe(t, w, newObservation(seq+1, "x"))
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return s.Path()
}

func write(t *testing.T, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "bad.db")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// edit changes the meta bucket of a recording.
func edit(t *testing.T, path string, change func(meta *bbolt.Bucket) error) string {
	t.Helper()
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		meta, err := tx.CreateBucketIfNotExists(bucketMeta)
		if err != nil {
			return err
		}
		return change(meta)
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestOpenBad(t *testing.T) {
	good, err := os.ReadFile(goodFile(t))
	if err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(t.TempDir(), "other.db")
	for _, c := range []struct {
		name string
		path string
		want error
		text string
	}{
		{"missing", filepath.Join(t.TempDir(), "missing.db"), fs.ErrNotExist, "missing.db"},
		{"folder", t.TempDir(), ErrNotRecording, "not a regular file"},
		{"empty", write(t, nil), ErrNotRecording, "empty"},
		{"one byte", write(t, []byte("x")), ErrNotRecording, ""},
		{"text", write(t, []byte(strings.Repeat("hello\n", 10000))), ErrNotRecording, ""},
		{"zeros", write(t, make([]byte, 1<<20)), ErrNotRecording, ""},
		{"first page", write(t, good[:pageSize]), ErrNotRecording, "cut short"},
		{"both meta pages", write(t, good[:2*pageSize]), ErrNotRecording, "cut short"},
		{"half", write(t, good[:len(good)/2]), ErrNotRecording, "cut short"},
		{"other database", edit(t, other, func(*bbolt.Bucket) error { return nil }), ErrNotRecording, "another program"},
		{"newer", edit(t, write(t, good), func(meta *bbolt.Bucket) error {
			return meta.Put(keyVersion, binary.BigEndian.AppendUint32(nil, 8))
		}), ErrNewerVersion, "version 8; this flaketap reads versions up to 7"},
		{"no version", edit(t, write(t, good), func(meta *bbolt.Bucket) error {
			return meta.Delete(keyVersion)
		}), ErrNotRecording, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			before, _ := os.ReadFile(c.path)
			for name, open := range map[string]func() (*Store, error){
				"Open":         func() (*Store, error) { return Open(c.path, Options{}) },
				"OpenReadOnly": func() (*Store, error) { return OpenReadOnly(c.path) },
			} {
				s, err := open()
				if err == nil {
					s.Close()
				}
				if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.path) || !strings.Contains(err.Error(), c.text) {
					t.Errorf("%s: %v; want %q, the path and %q", name, err, c.want, c.text)
				}
			}
			if after, _ := os.ReadFile(c.path); string(before) != string(after) {
				t.Error("the file was changed")
			}
		})
	}
}

func TestOpenLocked(t *testing.T) {
	s := newStore(t, Options{Doing: "testing"})
	if _, err := Open(s.Path(), Options{}); !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), s.Path()) ||
		!strings.Contains(err.Error(), fmt.Sprintf("(process %d) has been testing since", os.Getpid())) {
		t.Errorf("Open while it is written: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	a, err := OpenReadOnly(s.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	b, err := OpenReadOnly(s.Path())
	if err != nil {
		t.Fatalf("two readers at once: %v", err)
	}
	defer b.Close()
	if a.Holder() != nil {
		t.Errorf("a recording that nobody writes is held by %v", a.Holder())
	}
	// What a killed process has left does not stand for whoever has the lock now.
	stale := Holder{PID: 1, Doing: "testing", Socket: filepath.Join(t.TempDir(), "gone")}
	data, _ := json.Marshal(stale)
	if err := os.WriteFile(holderFile(s.Path()), data, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(s.Path(), Options{}); !errors.Is(err, ErrLocked) || strings.Contains(err.Error(), "process 1") {
		t.Errorf("Open while it is read: %v", err)
	}
	c, err := OpenReadOnly(s.Path())
	if err != nil {
		t.Fatalf("a reader beside what a killed process has left: %v", err)
	}
	c.Close()
}

// TestOpenChangesNothing sees that a file into which nothing is written stays as it is.
func TestOpenChangesNothing(t *testing.T) {
	path := goodFile(t)
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
		t.Errorf("the file was changed (%v)", err)
	}
}

// TestDamage flips bytes anywhere in a recording. Whatever that does, everything must end, with an error or with whole
// records.
func TestDamage(t *testing.T) {
	needPlainDatabase(t)
	good, err := os.ReadFile(goodFile(t))
	if err != nil {
		t.Fatal(err)
	}
	pages := usedPages(t, write(t, good))
	random := rand.New(rand.NewPCG(1, 2))
	refused := 0
	rounds := 60

	for range rounds {
		bad := []byte(string(good))
		page := random.IntN(pages)
		for range 1 + random.IntN(4) {
			bad[page*pageSize+random.IntN(64)] = byte(random.Uint32()) // the header of a page, and the first elements
		}
		if readAll(write(t, bad)) != nil {
			refused++
		}
	}
	if refused == 0 {
		t.Error("no damage was ever noticed")
	}
	t.Logf("%d of %d damaged files were noticed", refused, rounds)
}

// needPlainDatabase skips a test that damages pages where the database is built with the pointer checks of the race
// detector: they end the process at what is a panic elsewhere. The Makefile builds it without them.
func needPlainDatabase(t *testing.T) {
	t.Helper()
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return
	}
	race, unchecked := false, false
	for _, s := range info.Settings {
		race = race || s.Key == "-race" && s.Value == "true"
		unchecked = unchecked || s.Key == "-gcflags" && strings.Contains(s.Value, "checkptr=0")
	}
	if race && !unchecked {
		t.Skip("skipped: with -race the database checks pointers; make test builds it without")
	}
}

// usedPages returns how many pages of a file the database has ever used.
func usedPages(t *testing.T, path string) int {
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	a, _ := readMeta(f, 0)
	b, _ := readMeta(f, pageSize)
	return int(max(a.pages, b.pages))
}

// TestCutWhileOpen cuts the file under an open recording: the pages that are gone fault when they are touched.
func TestCutWhileOpen(t *testing.T) {
	path := goodFile(t)
	s, err := OpenReadOnly(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 2*pageSize); err != nil {
		t.Fatal(err)
	}
	for _, err = range s.Steps() {
	}
	if err == nil {
		t.Error("reading a file that was cut short succeeded")
	}
	if err := s.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}

// readAll reads everything that a recording holds.
func readAll(path string) error {
	s, err := OpenReadOnly(path)
	if err != nil {
		return err
	}
	defer s.Close()
	if _, err := s.Recording(); err != nil {
		return err
	}
	for _, err := range s.Steps() {
		if err != nil {
			return err
		}
	}
	return nil
}

// A file of version 1 is read as it is. Opened for writing it becomes one of the present version; one that is already,
// stays as it is to the byte.
func TestOpenOldVersion(t *testing.T) {
	path := edit(t, goodFile(t), func(meta *bbolt.Bucket) error {
		return meta.Put(keyVersion, binary.BigEndian.AppendUint32(nil, 1))
	})
	old, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	opened := func(open func() (*Store, error)) []byte {
		s, err := open()
		if err != nil {
			t.Fatal(err)
		}
		if e, err := s.Exchange(600); err != nil || e.Seq != 600 {
			t.Errorf("exchange 600 is %v, %v", e, err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	if b := opened(func() (*Store, error) { return OpenReadOnly(path) }); string(b) != string(old) {
		t.Error("reading changed the file")
	}
	opened(func() (*Store, error) { return Open(path, Options{}) })
	edit(t, path, func(meta *bbolt.Bucket) error {
		if v := binary.BigEndian.Uint32(meta.Get(keyVersion)); v != Version {
			t.Errorf("version is %d", v)
		}
		return nil
	})
	present := opened(func() (*Store, error) { return OpenReadOnly(path) })
	if b := opened(func() (*Store, error) { return Open(path, Options{}) }); string(b) != string(present) {
		t.Error("opening a file of the present version changed it")
	}
}

// Where a recording cannot be made, its own name is told and not that under which it is made.
func TestCreateErrorsNameTheRecording(t *testing.T) {
	path := filepath.Join(t.TempDir(), "absent", "flaketap.db")
	_, err := Create(path, Options{})
	if want := "create recording: create " + path + ": no such file or directory"; err == nil || err.Error() != want {
		t.Errorf("Create: %v, want %s", err, want)
	}
}
