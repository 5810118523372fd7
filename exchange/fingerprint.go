package exchange

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/internal/wire"
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
	// Host is the address of the operation's API where a recording spoke to several: "id.example:443". It is "" for
	// the one that most of its exchanges went to.
	Host string
}

// String returns the operation as people write it: "GET /orders/{id}", "GET //id.example:443/keys".
func (o Operation) String() string {
	if o.Host != "" {
		return o.Method + " //" + o.Host + o.Template
	}
	return o.Method + " " + o.Template
}

// Exact is the one rule of what belongs to a request's identity: the target's name, the method, the path, the query
// with its pairs sorted, the body in canonical form, and the headers that choose between representations (Accept,
// Accept-Language, Content-Type, Range) or make a request conditional (there or not; their values are validators that
// move). Never the authority: a suite, a session and a run may each use a port of their own. Nor credentials.
//
// Of a body larger than 1 MiB its first MiB and its size count, as they were on the wire; one that only unpacks to more
// counts as it was on the wire. So whoever records needs no more than that of it.
func Exact(e *Exchange) Fingerprint {
	r := &e.Request
	path, query := SplitTarget(r.Target)
	body, size := r.identity()
	kind, canonical := canonicalBody(r.Header.Get("Content-Type"), body)

	p := make(parts, 0, 512+len(canonical))
	p = p.add(cmp.Or(e.Target, DefaultTarget)).add(r.Method).add(path).add(sortedPairs(query))
	p = p.add(listed(r.Header, "Accept")).add(listed(r.Header, "Accept-Language")).add(listed(r.Header, "Range"))
	p = p.add(present(r.Header, "If-None-Match", "If-Match", "If-Modified-Since", "If-Unmodified-Since"))
	p = append(p.add(kind+size), canonical...)
	sum := sha256.Sum256(p)
	return Fingerprint(sum[:len(Fingerprint{})])
}

// IdentityBytes is how many bytes of a body count for the identity of a request, as [Exact] says.
const IdentityBytes = 1 << 20

// identity returns what of the body counts, and the size where not all of it does, in a form that no media type has.
func (r *Request) identity() (body []byte, size string) {
	if total := int64(len(r.Body)) + r.Cut; total > IdentityBytes {
		return r.Body[:min(len(r.Body), IdentityBytes)], fmt.Sprintf(";size=%d", total)
	}
	body, _ = r.payload(r.Header, IdentityBytes)
	return body, ""
}

// parts is what a fingerprint is the digest of. Each part stands behind its length, so that no two lists of parts have
// the same bytes.
type parts []byte

func (p parts) add(s string) parts {
	return append(append(strconv.AppendInt(p, int64(len(s)), 10), ':'), s...)
}

// listed returns the value of a list header; it makes no difference on how many lines it stood.
func listed(h wire.Fields, name string) string {
	return strings.Join(h.Values(name), ",")
}

// present tells which of the headers are there, as a string of 0 and 1.
func present(h wire.Fields, names ...string) string {
	there := make([]byte, len(names))
	for i, name := range names {
		there[i] = '0'
		if h.Has(name) {
			there[i] = '1'
		}
	}
	return string(there)
}

// SplitTarget splits a request-target into path and query, both as sent. Absolute form loses scheme and authority, and
// an empty path after them is "/" (RFC 9110 §4.2.3).
func SplitTarget(target string) (path, query string) {
	path, query, _ = strings.Cut(afterAuthority(target), "?")
	return path, query
}

// afterAuthority returns the origin form of a target in absolute form, and any other target as it is.
func afterAuthority(target string) string {
	scheme, rest, found := strings.Cut(target, "://")
	if !found || !isScheme(scheme) {
		return target
	}
	i := strings.IndexAny(rest, "/?#")
	switch {
	case i < 0:
		return "/"
	case rest[i] == '/':
		return rest[i:]
	default:
		return "/" + rest[i:]
	}
}

// isScheme reports whether s is a URI scheme (RFC 3986 §3.1). A path or a query may hold "://" as well.
func isScheme(s string) bool {
	for i, c := range []byte(s) {
		letter := 'a' <= c|0x20 && c|0x20 <= 'z'
		if !letter && (i == 0 || (c < '0' || c > '9') && c != '+' && c != '-' && c != '.') {
			return false
		}
	}
	return s != ""
}
