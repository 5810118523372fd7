package analysis

import (
	"encoding/base64"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/store"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// expiring makes a recording of three requests with a token that ends half an hour after it, a run within that time and
// two that come too late: those are refused.
func expiring(t *testing.T) (path, token string) {
	t.Helper()
	begin := time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)
	part := base64.RawURLEncoding.EncodeToString
	token = part([]byte(`{"alg":"HS256"}`)) + "." + part(fmt.Appendf(nil, `{"exp":%d}`, begin.Add(30*time.Minute).Unix())) + "." + part([]byte("signed"))
	path = filepath.Join(t.TempDir(), "flaketap.db")
	db, err := store.Create(path, store.Options{})
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	check(err)
	request := func(i int) exchange.Request {
		return exchange.ParseRequest(exchange.Message{Head: fmt.Appendf(nil, "GET /things/%d HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nAuthorization: Bearer %s\r\n\r\n", i, token)})
	}
	refusal := exchange.ParseResponse(exchange.Message{Head: []byte("HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n")})
	_, err = db.BeginPass(exchange.Pass{Started: begin, Target: "http://127.0.0.1:8080", Source: "record"})
	check(err)
	for i := range 3 {
		check(db.Record(&exchange.Exchange{Conn: 1, Target: exchange.DefaultTarget, Scheme: "http", Addr: "127.0.0.1:8080",
			Start: begin.Add(time.Duration(i) * time.Second), Request: request(i), Response: response(`{"a":1}`)}))
	}
	check(db.EndPass(begin.Add(time.Minute)))
	for n := range 3 {
		run := exchange.Run{Kind: exchange.RunReplay, Started: begin.Add(time.Duration(n*25+5) * time.Minute)}
		run.Ended = run.Started.Add(time.Minute)
		w, err := db.BeginRun(run)
		check(err)
		for i := range 3 {
			answer := response(`{"a":1}`)
			if n > 1 {
				answer = refusal
			}
			check(w.Observe(&exchange.Observation{Seq: uint64(i + 1), Start: run.Started, Sent: request(i), Response: answer}))
		}
		check(w.Finish(run))
	}
	check(db.Close())
	return path, token
}

// TestRefusedRunsAreNoEvidence: what an API answers to a token that has ended moves nothing, is kept by no suite, and is
// told of, by the name of the header and never the token.
func TestRefusedRunsAreNoEvidence(t *testing.T) {
	path, token := expiring(t)
	r, err := JudgeWithSteps(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range r.Map.Operations {
		for _, f := range o.Fields {
			if f.Judgement != mapfile.Stable || f.Place == exchange.PlaceStatus && f.Of != 6 {
				t.Errorf("%s: %s moved in %d of %d", o.Operation, f.Place, f.Changed, f.Of)
			}
		}
	}
	for _, s := range r.Steps {
		if len(s.Observations) != 2 {
			t.Errorf("exchange %d has %d answers of runs, want those of the two that came in time", s.Exchange.Seq, len(s.Observations))
		}
	}
	if len(r.Lapses) != 1 || len(r.Map.Warnings) == 0 {
		t.Fatalf("%d credentials lapsed, warnings %q", len(r.Lapses), r.Map.Warnings)
	}
	told := r.Map.Warnings[0]
	want := "the credential in the header authorization (" + r.Redactor.Token("Bearer "+token) + ") of exchange 1 expired at 2026-01-02T03:30:00Z: " +
		"3 answers of run 3 are 401 or 403"
	if !strings.HasPrefix(told, want) || !strings.Contains(told, "replay again with --auth 'authorization: …'") || strings.Contains(told, token) {
		t.Errorf("it is told as\n%s\nwant\n%s", told, want)
	}
}
