package capture

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/store"
)

// har writes a file of GETs of paths, as browsers save it.
func har(t *testing.T, paths ...string) string {
	t.Helper()
	var entries []string
	for i, path := range paths {
		entries = append(entries, fmt.Sprintf(`{"startedDateTime":"2026-01-02T03:04:%02dZ","time":5,
			"request":{"method":"GET","url":"http://api.example%s","httpVersion":"HTTP/1.1","headers":[],"cookies":[],"queryString":[],"headersSize":-1,"bodySize":0},
			"response":{"status":200,"statusText":"OK","httpVersion":"HTTP/1.1","headers":[],"cookies":[],"content":{"size":2,"mimeType":"text/plain","text":"ok"},
			"redirectURL":"","headersSize":-1,"bodySize":2},"cache":{},"timings":{"send":0,"wait":5,"receive":0}}`, i, path))
	}
	file := filepath.Join(t.TempDir(), "session.har")
	text := `{"log":{"version":"1.2","creator":{"name":"test","version":"1"},"entries":[` + strings.Join(entries, ",") + `]}}`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestImportRecordingAndRun(t *testing.T) {
	var talk bytes.Buffer
	o := ImportOptions{
		Destination: Destination{DB: filepath.Join(t.TempDir(), "flaketap.db")}, Files: []string{har(t, "/a", "/b")},
		Start: exchange.StartFresh, Changes: 1, Console: &console.Console{Err: &talk},
	}
	if err := ImportRuns(o); err == nil || !strings.Contains(err.Error(), "no recording") {
		t.Errorf("a run of nothing: %v", err)
	}
	if err := Import(o); err != nil {
		t.Fatal(err)
	}
	o.Files = []string{har(t, "/b", "/c")}
	if err := ImportRuns(o); err != nil {
		t.Fatal(err)
	}
	rec, runs := stored(t, o.DB)
	if rec.Count != 2 || rec.Passes[0].Source != "har" || rec.Passes[0].Start != exchange.StartFresh {
		t.Errorf("stored is %+v", rec)
	}
	if len(runs) != 1 || runs[0].Kind != exchange.RunImport || runs[0].Steps != 1 || runs[0].Lost != 1 || runs[0].Added != 1 {
		t.Errorf("the runs are %+v", runs)
	}
	if want := "1 step, 1 lost, 1 added\n  lost     GET /a (exchange 1)\n  added    GET /c\n"; !strings.Contains(talk.String(), want) {
		t.Errorf("it said\n%s", &talk)
	}
	o.Files = []string{har(t, "/x")}
	if err := ImportRuns(o); err == nil || !strings.Contains(err.Error(), "not a run of this recording") {
		t.Errorf("a run of another client: %v", err)
	}
}

// A broken file changes nothing, and no recording is left behind.
func TestImportBrokenFile(t *testing.T) {
	broken := filepath.Join(t.TempDir(), "broken.har")
	if err := os.WriteFile(broken, []byte(`{"log":{"entries":[`), 0o600); err != nil {
		t.Fatal(err)
	}
	o := ImportOptions{Destination: Destination{DB: filepath.Join(t.TempDir(), "flaketap.db")}, Files: []string{har(t, "/a"), broken}}
	if err := Import(o); err == nil {
		t.Error("it is taken in")
	}
	if _, err := os.Stat(o.DB); err == nil {
		t.Error("there is a recording")
	}
}

func stored(t *testing.T, db string) (rec exchange.Recording, runs []exchange.Run) {
	t.Helper()
	s, err := store.OpenReadOnly(db)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if rec, err = s.Recording(); err == nil {
		runs, err = s.Runs()
	}
	if err != nil {
		t.Fatal(err)
	}
	return rec, runs
}
