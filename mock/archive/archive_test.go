package archive

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/mock/search"
	"github.com/flaketap/flaketap/mock/search/index"
)

// tried is a trial: the API's exchange, and that of the journal.
func tried(target, journal string) []*exchange.Exchange {
	at := func(path, host, body string) *exchange.Exchange {
		return &exchange.Exchange{Scheme: "http", Addr: host, Start: time.Now(),
			Request:  exchange.ParseRequest(exchange.Message{Head: []byte("GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n")}),
			Response: exchange.ParseResponse(exchange.Message{Head: []byte("HTTP/1.1 200 OK\r\n\r\n"), Body: []byte(body)})}
	}
	return []*exchange.Exchange{at(target, "127.0.0.1:1", "{}"), at(search.Journal, "mocks", journal)}
}

func written(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	found := []*search.Behavior{
		{Stubs: []byte(`{"mappings": []}`), Findings: []search.Finding{search.HangFinding}, Proofs: [][]*exchange.Exchange{tried("/a?token=s3cret-s3cret", "1"), tried("/a", "2")}},
		{Stubs: []byte(`{"mappings": []}`), Proofs: [][]*exchange.Exchange{tried(search.Journal, "3"), tried(search.Journal, "4")}},
		{Stubs: []byte(`{"mappings": []}`), Proofs: [][]*exchange.Exchange{tried("/small", "5")},
			Whole: &search.Whole{Stubs: []byte(`{"mappings": [], "meta": {"total": 0}}`), Proofs: [][]*exchange.Exchange{tried("/whole", "6"), tried("/whole", "7")}}},
	}
	files, err := index.Files(search.Result{Behaviors: found}, 1, exchange.Redactor{Key: []byte("k")})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		path := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := WriteTrials(dir, found); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestWhatWasWrittenIsRead(t *testing.T) {
	all, redactor, err := Read(written(t))
	if err != nil || len(all) != 3 || len(redactor.Key) == 0 {
		t.Fatal(all, redactor, err)
	}
	if a := all[0]; a.Name != "001" || len(a.Findings) != 1 || len(a.Trials) != 2 || string(a.Trials[1][1].Response.Body) != "2" ||
		a.Trials[0][0].Request.Target != "/a?token=s3cret-s3cret" {
		t.Errorf("the first is %+v", a)
	}
	// An API may have a path that is that of the journal.
	if b := all[1]; b.Name != "002" || len(b.Trials) != 2 || len(b.Trials[0]) != 2 || string(b.Trials[0][1].Response.Body) != "3" ||
		len(b.Trials[1]) != 2 || string(b.Trials[1][1].Response.Body) != "4" {
		t.Errorf("the second is %+v", b)
	}
	// Where stubs with whole answers are known, tests are made of these.
	if c := all[2]; c.Name != "003" || !strings.Contains(string(c.Stubs), "meta") || len(c.Trials) != 2 || c.Trials[1][0].Request.Target != "/whole" {
		t.Errorf("the third is %+v", c)
	}
}

// What is larger than any search leaves is not held.
func TestReadBounds(t *testing.T) {
	for _, file := range []string{"index.json", "001/stubs.json"} {
		dir := written(t)
		if err := os.Truncate(filepath.Join(dir, file), maxFile+1); err != nil {
			t.Fatal(err)
		}
		if _, _, err := Read(dir); err == nil || !strings.HasSuffix(err.Error(), "is larger than 64 MiB") {
			t.Errorf("%s: %v", file, err)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		file, text, want string
	}{
		"no index":      {"index.json", "", "read behaviors: open"},
		"another file":  {"index.json", `{"flaketap": "volatile-map"}`, "is not the index of a search"},
		"a folder":      {"index.json", `{"flaketap": "mock-search", "behaviors": [{"stubs": "../../etc"}]}`, `names the folder "../../etc", want "001"`},
		"wrong stubs":   {"001/stubs.json", `{"mappings": [{"request": {"x": 1}}]}`, `001: mapping 1: "x" is not served`},
		"a whole":       {"index.json", `{"flaketap": "mock-search", "behaviors": [{"stubs": "001", "whole": "../whole"}]}`, `names the folder "../whole", want "001/whole"`},
		"no whole":      {"003/whole/stubs.json", "", "read behaviors: open"},
		"no stubs":      {"002/stubs.json", "", "read behaviors: open"},
		"no trials":     {Trials, "", "read trials"},
		"broken trials": {Trials, "no database", "read trials"},
	} {
		dir := written(t)
		path := filepath.Join(dir, c.file)
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if c.text != "" {
			if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if _, _, err := Read(dir); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}
