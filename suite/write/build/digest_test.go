package build

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/suite/write/play"
)

// hashes lists what a plan says of digests.
func hashes(p plan.Plan) (out []string) {
	for _, s := range p.Tests[len(p.Tests)-1].Steps {
		for _, c := range s.Checks {
			if c.Kind == plan.CheckHash {
				out = append(out, fmt.Sprint(s.Method, " ", c.Place, " ", c.Hash, " ", c.Of, c.Given, " ", c.Length, " ", c.Why))
			}
		}
	}
	return out
}

// A value that moves with the digest of what the test knows is asserted to be that digest, in whatever spelling, where
// all answers bear it out, and two of them have different ones.
func TestDigests(t *testing.T) {
	md5Of := func(s string) string { return fmt.Sprintf("%x", md5.Sum([]byte(s))) }
	body := func(n int) string { return fmt.Sprintf(`{"read":"r-%d","say":"tea %d"}`, 7919*n%1000, n) }
	tag := func(spell func(body string) string) func(int) *exchange.Response {
		return func(n int) *exchange.Response { return reply(200, jsonType+"ETag: "+spell(body(n))+"\r\n", body(n)) }
	}
	member := func(spell func(n int) string) func(int) *exchange.Response {
		return func(n int) *exchange.Response {
			return reply(200, jsonType, fmt.Sprintf(`{"say":"tea %d","sum":"%s"}`, n, spell(n)))
		}
	}
	for _, tt := range []struct {
		name   string
		runs   int
		answer func(n int) *exchange.Response
		want   string
	}{
		{"a tag of the body", 5, tag(func(s string) string { return `"` + md5Of(s) + `"` }), "GET /header/etag md5 [/body] [] 0 so in 6 of 6"},
		{"one run", 1, tag(func(s string) string { return `W/"` + strings.ToUpper(md5Of(s)) + `"` }), "GET /header/etag md5 [/body] [] 0 so in 2 of 2"},
		{"no run", 0, tag(md5Of), ""},
		{"its first digits", 5, tag(func(s string) string {
			sum := sha256.Sum256([]byte(s))
			return `"` + hex.EncodeToString(sum[:12]) + `"`
		}), "GET /header/etag sha256 [/body] [] 24 so in 6 of 6"},
		{"too few of them", 5, tag(func(s string) string { return md5Of(s)[:12] }), ""},
		{"in base64", 5, tag(func(s string) string {
			sum := sha512.Sum512([]byte(s))
			return "sha-512=:" + base64.StdEncoding.EncodeToString(sum[:]) + ":"
		}), "GET /header/etag sha512 [/body] [] 0 so in 6 of 6"},
		{"of a member", 5, member(func(n int) string {
			sum := sha1.Sum(fmt.Appendf(nil, "tea %d", n))
			return base64.RawURLEncoding.EncodeToString(sum[:])
		}), "GET /body/sum sha1 [/body/say] [] 0 so in 6 of 6"},
		{"once of another", 5, member(func(n int) string { return md5Of(fmt.Sprint("tea ", n+n/5)) }), ""},
		{"of what nobody knows", 5, member(func(n int) string { return md5Of(fmt.Sprint("coffee ", n)) }), ""},
		{"never another", 5, func(int) *exchange.Response {
			return reply(200, jsonType+"ETag: "+md5Of(body(1))+"\r\n", body(1))
		}, ""},
	} {
		var all []*exchange.Response
		for n := range tt.runs + 1 {
			all = append(all, tt.answer(n))
		}
		src := judged(t, suite.Source{Steps: []exchange.Step{stepOf(1, "/notes", all)}, Sequences: []exchange.Sequence{{Name: "s", Steps: []uint64{1}}}})
		if got := strings.Join(hashes(build(t, src, Options{All: true})), "; "); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// What a client sends otherwise in each run is digested as the test sends it: a member, or the body as a whole.
func TestDigestsOfSent(t *testing.T) {
	for _, whole := range []bool{false, true} {
		request := func(n int) exchange.Request {
			body := fmt.Sprintf(`{"note":"tea %d"}`, n)
			return exchange.ParseRequest(exchange.Message{Plain: true, Body: []byte(body),
				Head: fmt.Appendf(nil, "POST /notes HTTP/1.1\r\nHost: a:1\r\n%sContent-Length: %d\r\n\r\n", jsonType, len(body))})
		}
		answer := func(n int) *exchange.Response {
			said := fmt.Sprintf("tea %d", n)
			if whole {
				said = fmt.Sprintf(`{"note":"tea %d"}`, n)
			}
			return reply(201, jsonType, fmt.Sprintf(`{"crc32":"%08x"}`, crc32.ChecksumIEEE([]byte(said))))
		}
		step := exchange.Step{Exchange: &exchange.Exchange{Seq: 1, Scheme: "http", Addr: "a:1", Request: request(0), Response: answer(0)}}
		for n := range 5 {
			step.Observations = append(step.Observations, &exchange.Observation{Run: n + 1, Seq: 1, Sent: request(n + 1), Response: answer(n + 1)})
		}
		src := judged(t, suite.Source{Steps: []exchange.Step{step}, Sequences: []exchange.Sequence{{Name: "s", Steps: []uint64{1}}}})
		want := `POST /body/crc32 crc32 [] [[{tea 0   false }]] 0 so in 6 of 6`
		if whole {
			want = strings.Replace(want, "tea 0", `{"note":"tea 0"}`, 1)
		}
		if got := strings.Join(hashes(build(t, src, Options{All: true})), "; "); got != want {
			t.Errorf("whole: %v: %q, want %q", whole, got, want)
		}
	}
}

// The digest of what an earlier answer of the test gave, and the request names, follows what it gives in each trial.
// One that does not is not asserted.
func TestDigestsOfBound(t *testing.T) {
	sum := func(id int) string { return fmt.Sprintf("%x", sha256.Sum256(fmt.Append(nil, id))) }
	for _, stays := range []bool{false, true} {
		src := session(t, `POST /notes {"text":"tea"} > 201 {"id":70001}`,
			`PUT /notes/70001/seal {"text":"mate"} > 200 {"seal":"`+sum(70001)+`"}`)
		var answers play.Answers
		for n := range 4 {
			send := func(r play.Request) (*exchange.Response, error) {
				if r.Method == "POST" {
					return reply(201, jsonType, fmt.Sprintf(`{"id":%d}`, 70001+n)), nil
				}
				id := 70001 + n
				if stays && n == 3 {
					id--
				}
				return reply(200, jsonType, fmt.Sprintf(`{"seal":"%s"}`, sum(id))), nil
			}
			if err := answers.Try(build(t, src, Options{}), play.Forwards, send); err != nil {
				t.Fatal(err)
			}
		}
		got := hashes(build(t, src, Options{Answers: answers}))
		if want := map[bool]int{false: 1, true: 0}[stays]; len(got) != want || want > 0 && !strings.Contains(got[0], "seal sha256 [] [[{ noteId") {
			t.Errorf("one stays: %v: asserted is %q", stays, got)
		}
	}
}
