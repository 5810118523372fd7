package build

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite"
)

// hosted makes a step whose request names a host; each answer's body and headers are made with that host's name.
func hosted(seq uint64, hosts []string, answer func(host string, run int) *exchange.Response) exchange.Step {
	var s exchange.Step
	for run, host := range hosts {
		req := exchange.ParseRequest(exchange.Message{Head: fmt.Appendf(nil, "GET /x/%d HTTP/1.1\r\nHost: %s\r\n\r\n", seq, host), Plain: true})
		at := time.Date(2026, 1, 29, run, 0, 0, 0, time.UTC)
		if run == 0 {
			s.Exchange = &exchange.Exchange{Seq: seq, Scheme: "http", Addr: host, Start: at, Request: req, Response: answer(host, run)}
			continue
		}
		s.Observations = append(s.Observations, &exchange.Observation{Run: run, Seq: seq, Start: at, Sent: req, Response: answer(host, run)})
	}
	return s
}

// relaxedText generates a suite from steps and returns its only test file.
func relaxedText(t *testing.T, steps ...exchange.Step) string {
	t.Helper()
	files, err := written(judged(t, suite.Source{Steps: steps, Redactor: exchange.Redactor{Key: []byte("k")}}), suite.Relax)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if strings.HasPrefix(f.Name, "test_") {
			compiles(t, f.Data)
			return string(f.Data)
		}
	}
	t.Fatal("no test file")
	return ""
}

func wantLines(t *testing.T, text string, want, not []string) {
	t.Helper()
	for _, line := range want {
		if !strings.Contains(text, line) {
			t.Errorf("%q is missing in:\n%s", line, text)
		}
	}
	for _, line := range not {
		if strings.Contains(text, line) {
			t.Errorf("%q is in:\n%s", line, text)
		}
	}
}

// TestOwnHost: what holds the host that was asked for is asserted with the one that the suite asks.
func TestOwnHost(t *testing.T) {
	for _, hosts := range [][]string{
		{"127.0.0.1:8080", "127.0.0.1:8080", "127.0.0.1:8080"},
		{"127.0.0.1:8877", "localhost:8080", "127.0.0.1:8080"},
	} {
		text := relaxedText(t, hosted(1, hosts, func(host string, run int) *exchange.Response {
			return reply(302, jsonType+"Location: http://"+host+"/products/1\r\nX-Fresh: http://"+host+"/"+fmt.Sprintf("%x", 1000+run*977)+"\r\n",
				`{"self":"http://`+host+`/x/1","all":["http://`+host+`/a","http://`+host+`/b"]}`)
		}))
		wantLines(t, text, []string{
			`assert text_at(res, "/header/location") == f"http://{res.host}/products/1"`,
			`"self": like(text=f"http://{res.host}/x/1"),`,
			`host=res.host, optional=True)`,
		}, []string{"127.0.0.1"})
	}
}

// TestSecretsInAnyOrder: a secret within an array that comes in any order is not written out.
func TestSecretsInAnyOrder(t *testing.T) {
	rows := []string{`{"n":1,"token":"s3cr3t-key-one"}`, `{"n":2,"token":"s3cr3t-key-two"}`, `{"n":3,"token":"s3cr3t-key-three"}`}
	step := stepOf(1, "/keys", replies(
		`[`+rows[0]+`,`+rows[1]+`,`+rows[2]+`]`, `[`+rows[2]+`,`+rows[1]+`,`+rows[0]+`]`, `[`+rows[1]+`,`+rows[0]+`,`+rows[2]+`]`))
	text := relaxedText(t, step)
	wantLines(t, text, []string{`assert same_items(`, `"token": ...`}, []string{"s3cr3t", `"token": "secret:`})
}

// TestBinaryThatMoves: of bytes that are no text the number of bytes is asserted, and only where it is always the same.
func TestBinaryThatMoves(t *testing.T) {
	noise := func(length func(run int) int) exchange.Step {
		var rs []*exchange.Response
		for run := range 12 {
			rs = append(rs, reply(200, "Content-Type: application/octet-stream\r\n", "\x00\xff"+strings.Repeat(string(rune('a'+run)), length(run))))
		}
		return stepOf(1, "/noise", rs)
	}
	wantLines(t, relaxedText(t, noise(func(int) int { return 62 })), []string{"assert len(res.body) == 64"}, []string{"res.text"})
	wantLines(t, relaxedText(t, noise(func(run int) int { return 60 + run })), []string{"assert len(res.body) > 0"}, []string{"res.text", "==" + " 64"})
}

// TestMadeUpKeys: an object with keys that no recording can know is asserted by what its members have in common.
func TestMadeUpKeys(t *testing.T) {
	needPytest(t)
	sessions := func() string {
		return `{"fixed":{"a":1},"sessions":{"` + nonce() + `":{"user":"ada","agent":"curl"},"` + nonce() + `":{"user":"bob","agent":"curl"}}}`
	}
	var steps []exchange.Step
	for seq := range uint64(3) {
		var bodies []string
		for range 11 {
			bodies = append(bodies, sessions())
		}
		steps = append(steps, stepOf(seq+1, "/sessions", replies(bodies...)))
	}
	src := judged(t, suite.Source{Steps: steps})
	files, err := written(src, suite.Relax)
	if err != nil {
		t.Fatal(err)
	}
	dir := writeFiles(t, files)
	for _, tt := range []struct {
		body func() string
		ok   bool
	}{
		{sessions, true},
		{func() string { return `{"fixed":{"a":1},"sessions":{}}` }, true},
		{func() string { return `{"fixed":{"a":2},"sessions":{}}` }, false},
		{func() string { return `{"fixed":{"a":1},"sessions":[]}` }, false},
		{func() string { return `{"fixed":{"a":1},"sessions":{"` + nonce() + `":17}}` }, false},
		{func() string { return strings.Replace(sessions(), "curl", "wget", 1) }, false},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, tt.body())
		}))
		if ok, out := pytest(t, dir, server.URL); ok != tt.ok {
			t.Errorf("%s: got %v want %v\n%s", tt.body(), ok, tt.ok, out)
		}
		server.Close()
	}
}

// TestCommentedArrays: in comment mode the comment on an array tells its elements, as recorded and as they were seen,
// and no secret among them.
func TestCommentedArrays(t *testing.T) {
	var steps []exchange.Step
	bodies := []string{`{"tags":["b","a","b"],"keys":[{"id":1,"password":"hunter2hunter2"},{"id":2}]}`,
		`{"tags":["a","b","b"],"keys":[{"id":2},{"id":1,"password":"hunter2hunter2"}]}`,
		`{"tags":["b","b","a"],"keys":[{"id":1,"password":"hunter2hunter2"},{"id":2}]}`}
	steps = append(steps, stepOf(1, "/things", replies(bodies...)))
	files, err := written(judged(t, suite.Source{Steps: steps}), suite.Comment)
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, f := range files {
		all.Write(f.Data)
	}
	for _, want := range []string{
		`# Flaky value of field /body/tags: ["b","a","b"] vs. ["a","b","b"]`,
		`# /body/tags == ["b","a","b"]`,
		`# Flaky value of field /body/keys: [{"id":1,"password":"secret:`,
	} {
		if !strings.Contains(all.String(), want) {
			t.Errorf("there is no %s", want)
		}
	}
	for line := range strings.Lines(all.String()) {
		if strings.Contains(line, "#") && strings.Contains(line, "hunter2") {
			t.Errorf("a secret in %s", line)
		}
	}
}
