package serve

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/mock/search"
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
	return search.Outcome{Status: 200 + c.trials, Body: []byte(`{"token": "hush-hush-4711", "city": "Oslo"}`), Log: "password=hush-hush-4711",
		Calls: []search.Call{{Service: "a.example:443", Method: "GET", Target: "/a?api_key=hush-hush-4711"}},
		Reads: []search.Read{{Service: "a.example:443", Method: "GET", Target: "/a?api_key=hush-hush-4711", Place: "/body/city", Kind: search.String, Value: "Oslo"}}}, nil
}

func trial(stubs string) search.Trial { return search.Trial{Stubs: []byte(stubs)} }

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
			out.Past = false
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
