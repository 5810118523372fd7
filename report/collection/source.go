package collection

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/exchange"
)

// sourceKind says where in an answer a value is.
type sourceKind int

const (
	inJSON    sourceKind = iota // a member of a JSON body
	inHeader                    // the value of a header
	inCookie                    // the value of a cookie that Set-Cookie sets
	inSegment                   // a segment of the path of the URL in a header
	inPair                      // a value of the query of the URL in a header
)

// source is where a script finds a value of an answer.
type source struct {
	kind  sourceKind
	path  []string // of a member
	name  string   // of a header, or of a cookie
	index int      // of a segment
	pair  string   // the name in a query
}

// sourceOf returns where a script finds a value that an answer gave at a place; ok is false where it cannot: in XML and
// pages, in texts within texts, and in numbers that JavaScript has no number for.
func sourceOf(resp *exchange.Response, place exchange.Place, value string) (s source, ok bool) {
	if resp == nil {
		return s, false
	}
	segments := place.Segments()
	switch {
	case segments[0] == "body":
		s = source{kind: inJSON, path: segments[1:]}
	case segments[0] != "header" || len(segments) < 2:
		return s, false
	case len(segments) == 3 && segments[1] == "set-cookie":
		s = source{kind: inCookie, name: segments[2]}
	case len(segments) == 2:
		s = source{kind: inHeader, name: segments[1]}
	case len(segments) == 4 && segments[2] == "path":
		n, err := strconv.Atoi(segments[3])
		if err != nil {
			return s, false
		}
		s = source{kind: inSegment, name: segments[1], index: n}
	case len(segments) == 4 && segments[2] == "query":
		s = source{kind: inPair, name: segments[1], pair: segments[3]}
	default:
		return s, false
	}
	found, ok := s.find(resp)
	return s, ok && found == value
}

// find finds the value as the script does.
func (s source) find(resp *exchange.Response) (string, bool) {
	switch s.kind {
	case inJSON:
		return s.member(resp)
	case inHeader:
		return resp.Header.Get(s.name), true
	case inCookie:
		for _, line := range resp.Header.Values("Set-Cookie") {
			if rest, found := strings.CutPrefix(line, s.name+"="); found {
				value, _, _ := strings.Cut(rest, ";")
				return value, true
			}
		}
		return "", false
	}
	address := resp.Header.Get(s.name)
	if scheme, rest, absolute := strings.Cut(address, "://"); absolute && !strings.ContainsAny(scheme, "/?#") {
		address = ""
		if i := strings.IndexAny(rest, "/?#"); i >= 0 {
			address = rest[i:]
		}
	}
	address, _, _ = strings.Cut(address, "#")
	path, query, _ := strings.Cut(address, "?")
	if s.kind == inSegment {
		segments := strings.Split(path, "/")
		if s.index+1 >= len(segments) {
			return "", false
		}
		value, err := url.PathUnescape(segments[s.index+1])
		return value, err == nil
	}
	for pair := range strings.SplitSeq(query, "&") {
		if name, value, _ := strings.Cut(pair, "="); name == s.pair {
			value, err := url.QueryUnescape(value)
			return value, err == nil
		}
	}
	return "", false
}

// member finds a member of a JSON body.
func (s source) member(resp *exchange.Response) (string, bool) {
	payload, err := resp.Payload()
	if err != nil {
		return "", false
	}
	dec := json.NewDecoder(bytes.NewReader(payload))
	dec.UseNumber()
	var value any
	if dec.Decode(&value) != nil {
		return "", false
	}
	for _, key := range s.path {
		switch in := value.(type) {
		case map[string]any:
			value = in[key]
		case []any:
			i, err := strconv.Atoi(key)
			if err != nil || i < 0 || i >= len(in) {
				return "", false
			}
			value = in[i]
		default:
			return "", false
		}
	}
	switch value := value.(type) {
	case string:
		return value, true
	case json.Number:
		n, err := value.Int64()
		return value.String(), err == nil && n < 1<<53 && n > -1<<53
	}
	return "", false
}

// helpers are what the scripts of all clients find values with, on top of a client's own headers(name), which lists the
// values of a header, and body(), which is the JSON of the body. What is not found is kept as it was.
const helpers = `const keep = (name, find) => {
  let value;
  try { value = find(); } catch (error) { return; }
  if (value !== undefined && value !== null) set(name, String(value));
};
const cookie = (name) => {
  const line = headers("set-cookie").find((l) => l.startsWith(name + "="));
  return line && line.slice(name.length + 1).split(";")[0];
};
const address = (name) => headers(name)[0].replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, "").split("#")[0];
const segment = (name, i) => decodeURIComponent(address(name).split("?")[0].split("/")[i + 1].replace(/^$/, "%"));
const pair = (name, key) => {
  const found = (address(name).split("?")[1] || "").split("&").find((p) => p.split("=")[0] === key);
  return decodeURIComponent(found.slice(key.length + 1).replace(/\+/g, " "));
};`

// script is what keeps the values of an answer, behind the client's own lines.
func script(own string, keeps []Keep) []string {
	lines := strings.Split(own+"\n"+helpers, "\n")
	for _, k := range keeps {
		find := k.From.expression()
		if k.Encoded {
			find = "encodeURIComponent(" + find + ")"
		}
		lines = append(lines, fmt.Sprintf("keep(%s, () => %s);", quote(k.Variable), find))
	}
	return lines
}

// expression finds the value in JavaScript.
func (s source) expression() string {
	switch s.kind {
	case inJSON:
		out := "body()"
		for _, key := range s.path {
			out += "[" + quote(key) + "]"
		}
		return out
	case inHeader:
		return "headers(" + quote(s.name) + ")[0]"
	case inCookie:
		return "cookie(" + quote(s.name) + ")"
	case inSegment:
		return fmt.Sprintf("segment(%s, %d)", quote(s.name), s.index)
	}
	return fmt.Sprintf("pair(%s, %s)", quote(s.name), quote(s.pair))
}

// quote writes a text as a string of JavaScript. encoding/json writes what would end a line, or a script, as an escape.
func quote(s string) string {
	doc, err := json.Marshal(s)
	if err != nil {
		return `""`
	}
	return string(doc)
}
