package exchange

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"mime"
	"slices"
	"strings"
)

// Fingerprint is the comparable identity of a request: two requests have the same one when an API has no reason to
// tell them apart. It is a digest, and serves as a map key and as the key of the store's index.
type Fingerprint [16]byte

// String returns the fingerprint as 32 lower-case hex digits.
func (f Fingerprint) String() string { return hex.EncodeToString(f[:]) }

// ParseFingerprint reads what [Fingerprint.String] wrote.
func ParseFingerprint(s string) (Fingerprint, error) {
	var f Fingerprint
	b, err := hex.DecodeString(s)
	if err != nil || len(b) != len(f) {
		return f, fmt.Errorf("read fingerprint: %q is not 32 hex digits", s)
	}
	copy(f[:], b)
	return f, nil
}

// Operation is the coarse identity of a request: what an API's documentation would call one operation.
type Operation struct {
	Method   string
	Template string // path only, OpenAPI style: /orders/{id}
}

// String returns the operation as people write it: "GET /orders/{id}".
func (o Operation) String() string { return o.Method + " " + o.Template }

// Exact is the one rule of what belongs to a request's identity: the target's name, the method, the path, the query
// with its pairs sorted, the body in canonical form, and the headers that choose between representations (Accept,
// Accept-Language, Content-Type, Range) or make a request conditional (there or not; their values are validators that
// move). Never the authority: a suite, a session and a run may each use a port of their own. Nor credentials.
func Exact(e *Exchange) Fingerprint {
	r := &e.Request
	path, query := SplitTarget(r.Target)
	h := sha256.New()
	part := func(b []byte) { fmt.Fprintf(h, "%d:", len(b)); h.Write(b) }
	target := e.Target
	if target == "" {
		target = DefaultTarget
	}
	part([]byte(target))
	part([]byte(r.Method))
	part([]byte(path))
	pairs := strings.Split(query, "&")
	slices.Sort(pairs)
	part([]byte(strings.Join(pairs, "&")))
	for _, name := range []string{"Accept", "Accept-Language", "Range"} {
		part([]byte(strings.Join(r.Header.Values(name), ",")))
	}
	for _, name := range []string{"If-None-Match", "If-Match", "If-Modified-Since", "If-Unmodified-Since"} {
		part([]byte{'0' + byte(len(r.Header.Values(name)))})
	}
	body, _ := r.Payload()
	kind, canonical := canonicalBody(r.Header.Get("Content-Type"), body)
	part([]byte(kind))
	part(canonical)
	var f Fingerprint
	copy(f[:], h.Sum(nil))
	return f
}

// SplitTarget splits a request-target into path and query, both as sent. Absolute form loses scheme and authority.
func SplitTarget(target string) (path, query string) {
	if i := strings.Index(target, "://"); i > 0 && !strings.Contains(target[:i], "/") {
		target = target[i+3:]
		if j := strings.IndexAny(target, "/?"); j >= 0 {
			target = target[j:]
		} else {
			target = "/"
		}
	}
	path, query, _ = strings.Cut(target, "?")
	return path, query
}

// canonicalBody returns the media type without what varies from client to client, and the body in a form in which
// equal meanings have equal bytes: JSON compact with its keys sorted, forms with their pairs sorted, multipart with a
// fixed boundary, all else as it is.
func canonicalBody(contentType string, body []byte) (kind string, canonical []byte) {
	if len(body) == 0 {
		return mediaType(contentType), nil
	}
	kind, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		return mediaType(contentType), body
	}
	switch {
	case kind == "application/json" || strings.HasSuffix(kind, "+json"):
		if c, ok := canonicalJSON(body); ok {
			return kind, c
		}
	case kind == "application/x-www-form-urlencoded":
		pairs := strings.Split(string(body), "&")
		slices.Sort(pairs)
		return kind, []byte(strings.Join(pairs, "&"))
	case strings.HasPrefix(kind, "multipart/") && params["boundary"] != "":
		return kind, bytes.ReplaceAll(body, []byte(params["boundary"]), []byte("boundary"))
	}
	return kind, body
}

// mediaType returns a Content-Type without parameters, in lower case.
func mediaType(contentType string) string {
	t, _, _ := strings.Cut(contentType, ";")
	return strings.ToLower(strings.TrimSpace(t))
}

// canonicalJSON returns JSON with its white space gone and the members of each object sorted by key; numbers and
// strings stay the tokens they were, duplicate keys stay in their order. ok is false where body is no JSON, or nested
// too deeply for encoding/json (10 000 levels).
func canonicalJSON(body []byte) (out []byte, ok bool) {
	var buf bytes.Buffer
	if json.Compact(&buf, body) != nil {
		return nil, false
	}
	dec := json.NewDecoder(&buf)
	dec.UseNumber()
	out, err := appendCanonical(nil, dec, buf.Bytes())
	return out, err == nil
}

// appendCanonical appends the next value of dec; src is all that dec reads, so that tokens can be taken from it raw.
func appendCanonical(out []byte, dec *json.Decoder, src []byte) ([]byte, error) {
	tok, raw, err := rawToken(dec, src)
	if err != nil {
		return nil, err
	}
	switch tok {
	case json.Delim('['):
		out = append(out, '[')
		for dec.More() {
			if out, err = appendCanonical(out, dec, src); err != nil {
				return nil, err
			}
			out = append(out, ',')
		}
		_, err = dec.Token()
		return append(out, ']'), err
	case json.Delim('{'):
		type member struct{ key, value []byte }
		var members []member
		for dec.More() {
			_, key, err := rawToken(dec, src)
			if err != nil {
				return nil, err
			}
			value, err := appendCanonical(nil, dec, src)
			if err != nil {
				return nil, err
			}
			members = append(members, member{key, value})
		}
		if _, err = dec.Token(); err != nil {
			return nil, err
		}
		slices.SortStableFunc(members, func(a, b member) int { return cmp.Compare(string(a.key), string(b.key)) })
		out = append(out, '{')
		for _, m := range members {
			out = append(append(append(append(out, m.key...), ':'), m.value...), ',')
		}
		return append(out, '}'), nil
	}
	return append(out, raw...), nil
}

// rawToken returns the next token with the bytes it was written as.
func rawToken(dec *json.Decoder, src []byte) (json.Token, []byte, error) {
	from := dec.InputOffset()
	tok, err := dec.Token()
	if err != nil {
		return nil, nil, err
	}
	return tok, bytes.TrimLeft(src[from:dec.InputOffset()], " \t\r\n,:"), nil
}
