package serve

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/mock/archive"
	"github.com/flaketap/flaketap/mock/search"
	"github.com/flaketap/flaketap/mock/search/kind"
	"github.com/flaketap/flaketap/store"
	"github.com/google/go-cmp/cmp"
)

// counting answers each trial with how many there were before it.
type counting struct {
	trials int
	err    error
}

func (c *counting) Try(context.Context, search.Trial) (search.Outcome, error) {
	if c.err != nil {
		return search.Outcome{}, c.err
	}
	c.trials++
	record := []*exchange.Exchange{{Request: exchange.ParseRequest(exchange.Message{Head: []byte("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")}),
		Response: exchange.ParseResponse(exchange.Message{Head: []byte("HTTP/1.1 200 OK\r\n\r\n")})}}
	return search.Outcome{Status: 200 + c.trials, Record: record, Body: []byte(`{"token": "hush-hush-4711", "city": "Oslo"}`), Log: "password=hush-hush-4711",
		Calls: []search.Call{{Service: "a.example:443", Method: "GET", Target: "/a?api_key=hush-hush-4711"}},
		Reads: []search.Read{{Service: "a.example:443", Method: "GET", Target: "/a?api_key=hush-hush-4711", Place: "/body/city", Kind: kind.String, Value: "Oslo"}}}, nil
}

func trial(stubs string) search.Trial { return search.Trial{Stubs: []byte(stubs)} }

// triedIn is how many trials the recording of a folder has.
func triedIn(t *testing.T, dir string) uint64 {
	t.Helper()
	db, err := store.OpenCopy(filepath.Join(dir, archive.Tried))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rec, err := db.Recording()
	if err != nil {
		t.Fatal(err)
	}
	return rec.Count
}

// The recording of the trials has each while the search runs; another search in the folder has its own.
func TestTrialsCanBeLookedAt(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	for _, of := range []string{"one", "another"} {
		j, err := OpenNotebook(dir, of, &counting{})
		if err != nil {
			t.Fatal(err)
		}
		for n := range uint64(2) {
			if _, err := j.Try(t.Context(), trial("a")); err != nil {
				t.Fatal(err)
			}
			if got := triedIn(t, dir); got != n+1 {
				t.Errorf("%s: %d trials are recorded, not %d", of, got, n+1)
			}
			j.known = nil // as if it were another trial
		}
		if err := errors.Join(j.Close(), os.Remove(filepath.Join(dir, notebookName))); err != nil {
			t.Fatal(err)
		}
	}
}

// A search that ended before its first trial does not keep the folder for itself.
func TestNotebookWithoutTrials(t *testing.T) {
	dir := t.TempDir()
	for _, of := range []string{"a mistyped command", "the command"} {
		j, err := OpenNotebook(dir, of, &counting{})
		if err != nil {
			t.Fatalf("%s: %v", of, err)
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
	}
	j, err := OpenNotebook(dir, "the command", &counting{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := j.Try(t.Context(), trial("a")); err != nil {
		t.Fatal(err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenNotebook(dir, "another", &counting{}); err == nil {
		t.Error("trials of another search are gone on with")
	}
}

// A notebook that goes on answers what ran before as it was, and what did not by trials; one trial may have run several times.
func TestNotebookGoesOn(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	var first []search.Outcome
	for round := range 3 {
		api := &counting{}
		j, err := OpenNotebook(dir, "one", api)
		if err != nil {
			t.Fatal(err)
		}
		var got []search.Outcome
		for _, stubs := range []string{"a", "b", "a"} {
			out, err := j.Try(t.Context(), trial(stubs))
			if err != nil {
				t.Fatal(err)
			}
			if out.Past != (round > 0) {
				t.Errorf("round %d: past is %v", round, out.Past)
			}
			out.Past, out.Record = false, nil // which the file has not
			got = append(got, out)
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
		if round == 0 {
			first = got
			if api.trials != 3 || j.Resume != 0 {
				t.Errorf("%d trials ran, %d before", api.trials, j.Resume)
			}
			f, err := os.OpenFile(filepath.Join(dir, notebookName), os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := f.WriteString(`{"trial": "cut`); err != nil || f.Close() != nil {
				t.Fatal(err)
			}
			continue
		}
		if diff := cmp.Diff(first, got); diff != "" || api.trials != 0 || j.Resume != 3 {
			t.Errorf("%d trials ran, %d before: %s", api.trials, j.Resume, diff)
		}
	}
	if n := triedIn(t, dir); n != 3 {
		t.Errorf("%d trials are recorded", n)
	}
	data, err := os.ReadFile(filepath.Join(dir, notebookName))
	if first[0].Reads[0].Target != first[0].Calls[0].Target {
		t.Errorf("a call and what is read of its answer are of different targets: %+v", first[0])
	}
	if err != nil || strings.Contains(string(data), "hush-hush") || strings.Contains(string(data), "cut") || !strings.Contains(string(first[0].Body), "Oslo") {
		t.Errorf("%s: %v", data, err)
	}
	if _, err := OpenNotebook(dir, "another", &counting{}); err == nil || !strings.Contains(err.Error(), "another --out") {
		t.Errorf("the notebook of another search: %v", err)
	}
}

// A trial whose record is wanted runs, though the file tells what became of it.
func TestNotebookRunsAnew(t *testing.T) {
	dir, api := filepath.Join(t.TempDir(), "out"), &counting{}
	for _, anew := range []bool{false, true} {
		j, err := OpenNotebook(dir, "one", api)
		if err != nil {
			t.Fatal(err)
		}
		wanted := trial("a")
		wanted.Anew = anew
		if out, err := j.Try(t.Context(), wanted); err != nil || out.Past {
			t.Errorf("anew is %v, past is %v: %v", anew, out.Past, err)
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if api.trials != 2 {
		t.Errorf("%d trials ran, want 2", api.trials)
	}
}

// What is damaged is an error, and so is a trial that cannot be run.
func TestNotebookRefuses(t *testing.T) {
	for _, text := range []string{"{}\n", "\n", "x"} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, notebookName), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		j, err := OpenNotebook(dir, "one", &counting{})
		if (err == nil) != (text == "x") { // what is not whole is left out
			t.Errorf("%q: %v", text, err)
		}
		if err == nil && j.Close() != nil {
			t.Error("it does not close")
		}
	}
	gone := errors.New("gone")
	j, err := OpenNotebook(t.TempDir(), "one", &counting{err: gone})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if _, err := j.Try(t.Context(), trial("a")); !errors.Is(err, gone) {
		t.Error(err)
	}
}

// seeing tells what it is given, one after the other.
type seeing struct{ all [][]string }

func (s *seeing) Covered(context.Context) ([]string, error) {
	if len(s.all) == 0 {
		return nil, errors.New("gone")
	}
	first := s.all[0]
	s.all = s.all[1:]
	return first, nil
}

// Of each trial is kept what no trial before has run.
func TestNewlyCovered(t *testing.T) {
	trials := &Trials{covered: map[string]bool{}, Coverage: &seeing{[][]string{{"a:1", "b:2"}, {"b:2", "c:3"}, {"a:1"}}}}
	for _, want := range [][]string{{"a:1", "b:2"}, {"c:3"}, nil} {
		got, err := trials.newlyCovered(t.Context())
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Error(diff, err)
		}
	}
	if _, err := trials.newlyCovered(t.Context()); err == nil || err.Error() != "--coverage: gone" {
		t.Error(err)
	}
}

// Trials beyond the budget, and those that run once more, do not count as those of it: the same command can be repeated.
func TestNotebookCountsTheBudget(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	n, err := OpenNotebook(dir, "one", &counting{})
	if err != nil {
		t.Fatal(err)
	}
	proof := trial("b")
	proof.Anew = true
	beyond := proof
	beyond.Extra = true
	for _, one := range []search.Trial{trial("a"), trial("b"), proof, beyond} {
		if _, err := n.Try(t.Context(), one); err != nil {
			t.Fatal(err)
		}
	}
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
	if n, err = OpenNotebook(dir, "one", &counting{}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if n.Resume != 3 {
			t.Errorf("%d trials count, want 3", n.Resume)
		}
		if _, err := n.Try(t.Context(), proof); err != nil {
			t.Fatal(err)
		}
		if err := n.Close(); err != nil {
			t.Fatal(err)
		}
		if n, err = OpenNotebook(dir, "one", &counting{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
}

// A folder that nothing can be written into is refused before the API is started.
func TestSearchIntoNoFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "found")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for out, want := range map[string]string{t.TempDir(): "", file: file + " is a file; name a folder", filepath.Join(file, "new"): file + " is a file; name a folder"} {
		o := SearchOptions{Out: out, Search: search.Options{Trials: 1, Patience: time.Second}}
		if err := o.Check(); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", out, err, want)
		}
	}
}
