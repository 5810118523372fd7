package evomaster

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/flaketap/flaketap/exchange"
)

// maxElements is how many elements of an array the generator asserts.
const maxElements = 3

// Test is one test: exchanges of the session, sent again as they were.
type Test struct {
	Name  string // words joined by "_", from test_0_ on
	Calls []*exchange.Exchange
	// Logins are those of the calls that only log somebody in: of their answers nothing is asserted, and later calls take
	// the token from them.
	Logins []int
}

// Choose picks tests from a session as a fuzzer's minimizer does: one for each operation and status, at random among
// its exchanges, alone or with the exchange before it. What cannot stand in a suite is left out: what needs a
// credential, what failed, bodies that are no text.
func Choose(session []*exchange.Exchange, operations map[uint64]exchange.Operation, seed uint64) []Test {
	random := rand.New(rand.NewPCG(seed, 0))
	found := map[string][]int{}
	var order []string
	for i, e := range session {
		if !writable(e) {
			continue
		}
		key := fmt.Sprintf("%s %d", operations[e.Seq], e.Response.Status)
		if found[key] == nil {
			order = append(order, key)
		}
		found[key] = append(found[key], i)
	}
	var out []Test
	for n, key := range order {
		at := found[key][random.IntN(len(found[key]))]
		e := session[at]
		t := Test{Name: fmt.Sprintf("test_%d_%s", n, name(operations[e.Seq], e.Response.Status)),
			Calls: []*exchange.Exchange{e}}
		if at > 0 && random.IntN(3) == 0 && writable(session[at-1]) {
			t.Calls = []*exchange.Exchange{session[at-1], e}
		}
		out = append(out, t)
	}
	return out
}

var notWord = regexp.MustCompile(`[^a-z0-9]+`)

func name(op exchange.Operation, status int) string {
	return strings.Trim(notWord.ReplaceAllString(strings.ToLower(op.String()), "_"), "_") + "_returns_" +
		strconv.Itoa(status)
}

// writable reports whether an exchange can be written into a suite as a call.
func writable(e *exchange.Exchange) bool {
	if e.Response == nil || e.Request.Malformed || e.Request.Header.Has("Authorization") ||
		e.Request.Header.Has("Cookie") {
		return false
	}
	switch e.Request.Method {
	case "GET", "POST", "PUT", "DELETE", "PATCH":
	default:
		return false
	}
	body, err := e.Request.Payload()
	answer, aerr := e.Response.Payload()
	return err == nil && aerr == nil && utf8.Valid(body) && len(answer) < 100_000 &&
		!e.Request.Header.Has("Content-Encoding") &&
		!strings.HasPrefix(e.Request.MediaType(), "multipart/")
}

// claim is one assertion about an answer, in no language.
type claim struct {
	kind claimKind
	path []any // keys and indexes of the JSON body
	text string
	raw  string // the JSON token of a scalar
	n    int
}

type claimKind int

const (
	aStatus  claimKind = iota // n
	aType                     // text: the media type
	anEmpty                   // the body is empty
	aText                     // text: the body holds it
	aValue                    // raw, at path
	aSize                     // n, of the array at path
	aNothing                  // the object at path has no members
)

// claims lists what the generator asserts of an answer.
func claims(r *exchange.Response) []claim {
	out := []claim{{kind: aStatus, n: r.Status}}
	mediaType, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	if mediaType != "" {
		out = append(out, claim{kind: aType, text: strings.TrimSpace(mediaType)})
	}
	body, _ := r.Payload()
	switch {
	case len(bytes.TrimSpace(body)) == 0:
		return append(out, claim{kind: anEmpty})
	case strings.HasSuffix(mediaType, "json"):
		dec := json.NewDecoder(bytes.NewReader(body))
		dec.UseNumber()
		var v any
		if dec.Decode(&v) == nil {
			return walk(out, v, nil)
		}
	case mediaType == "text/plain" && utf8.Valid(body) && printable(string(body)):
		return append(out, claim{kind: aText, text: string(body)})
	}
	return out
}

// hostPort is what the generator takes for an address, which it does not assert.
var hostPort = regexp.MustCompile(`\w+:\d{4,5}`)

// printable reports whether the generator asserts a text.
func printable(s string) bool {
	return !strings.Contains(s, "logged") && !hostPort.MatchString(s) && !strings.ContainsAny(s, "\x00\r\n\t$")
}

func walk(out []claim, v any, path []any) []claim {
	switch v := v.(type) {
	case map[string]any:
		if len(v) == 0 {
			return append(out, claim{kind: aNothing, path: path})
		}
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		for _, k := range keys {
			switch strings.ToLower(k) {
			case "id", "timestamp", "self":
				continue
			}
			if !strings.ContainsAny(k, "'\"\\$") {
				out = walk(out, v[k], append(slices.Clone(path), k))
			}
		}
	case []any:
		out = append(out, claim{kind: aSize, path: path, n: len(v)})
		for i, e := range v[:min(len(v), maxElements)] {
			out = walk(out, e, append(slices.Clone(path), i))
		}
	case string:
		if printable(v) {
			raw, _ := json.Marshal(v)
			out = append(out, claim{kind: aValue, path: path, text: v, raw: string(raw)})
		}
	case nil:
		out = append(out, claim{kind: aValue, path: path, raw: "null"})
	default:
		out = append(out, claim{kind: aValue, path: path, raw: fmt.Sprint(v)})
	}
	return out
}

// number writes a JSON number as the generator does: as a double.
func number(raw string) string {
	if f, err := strconv.ParseFloat(raw, 64); err == nil && f == float64(int64(f)) && !strings.ContainsAny(raw, "eE.") &&
		f < 1e7 && f > -1e7 {
		return raw + ".0"
	}
	return raw
}
