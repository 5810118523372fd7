package inspect

import (
	"bytes"
	"errors"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/report"
	"github.com/flaketap/flaketap/store"
	"github.com/flaketap/flaketap/volatility/analysis"
)

// What two recorders saw of one trace is put together; what one alone saw of another trace is not listed.
func TestTraces(t *testing.T) {
	path := filepath.Join(t.TempDir(), "all.db")
	db, err := store.Create(path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	of := func(id string) string { return "traceparent: 00-" + id + "-00f067aa0ba902b7-01\r\n" }
	across, alone := strings.Repeat("4b", 16), strings.Repeat("5c", 16)
	later, last := strings.Repeat("3a", 16), strings.Repeat("29", 16)
	for _, pass := range [][]struct {
		target, head string
		at, took     int
	}{
		{{"/shop?token=q8Zx81kqP0vR7mW2", of(across), 0, 90}, {"/shop/2", of(alone), 100, 20},
			{"/shop/3", of(alone), 105, 5}, {"/shop/4", of(last), 220, 5}, {"/shop/5", of(later), 210, 5}},
		{{"/stock?of=q8Zx81kqP0vR7mW2", of(across), 10, 20}, {"/stock/2", "", 40, 20},
			{"/stock/3", of(later), 200, 20}, {"/stock/4", of(last), 215, 9}},
	} {
		if _, err := db.BeginPass(exchange.Pass{Started: begin}); err != nil {
			t.Fatal(err)
		}
		for _, x := range pass {
			e := &exchange.Exchange{Scheme: "http", Addr: "127.0.0.1:8080", Start: begin.Add(time.Duration(x.at) * time.Millisecond),
				Latency: time.Duration(x.took) * time.Millisecond, Request: request("GET", x.target, x.head), Response: response(200, "{}")}
			if err := db.Record(e); err != nil {
				t.Fatal(err)
			}
		}
		if err := db.EndPass(begin.Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	list := func(form report.Form) string {
		var out bytes.Buffer
		in, err := Open(path, analysis.Options{}, Output{Out: &out, Form: form, Console: &console.Console{}})
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(in.Traces(), in.Close()); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	want := `^` // a trace that begins earlier stands first, and in it what begins earlier
	for _, line := range []string{
		across + `","caused_by":0,"seq":1,.*"request_target":"/shop\?token=secret%3A`,
		across + `","caused_by":1,"seq":6,.*"request_target":"/stock\?of=secret%3A`,
		later + `","caused_by":0,"seq":8,`, later + `","caused_by":8,"seq":5,`,
		last + `","caused_by":0,"seq":9,`, last + `","caused_by":9,"seq":4,`,
	} {
		want += `\{"trace":"` + line + `.*\n`
	}
	if out := list(report.FormNDJSON); !regexp.MustCompile(want + "$").MatchString(out) {
		t.Errorf("got\n%s", out)
	}
	rows := regexp.MustCompile(`(?m)^` + across + ` +6 +2 +1 +03:04:05\.010 +20 +GET +/stock\?of=secret%3A`)
	if out := list(report.FormText); !rows.MatchString(out) || strings.Contains(out, alone) {
		t.Errorf("got\n%s", out)
	}
}
