package script

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/expr"
)

// SyntaxError says where and why a suite could not be read. The file is then left alone.
type SyntaxError struct {
	File   string
	Line   int // from 1; 0 where the file as a whole is meant
	Reason string
	// NoTests says that the file holds no tests of the form that its name tells, and nothing else is known to be wrong.
	NoTests bool
}

// Error says the file, the line and the reason.
func (e *SyntaxError) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("read suite: %s: %s", e.File, e.Reason)
	}
	return fmt.Sprintf("read suite: %s:%d: %s", e.File, e.Line, e.Reason)
}

// SplitLines splits text after each line end, whichever of the three kinds it is. Joined, the lines are the text.
func SplitLines(text string) []string {
	var lines []string
	from := 0
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\n':
		case text[i] == '\r' && (i+1 == len(text) || text[i+1] != '\n'):
		default:
			continue
		}
		lines = append(lines, text[from:i+1])
		from = i + 1
	}
	if from < len(text) {
		lines = append(lines, text[from:])
	}
	return lines
}

// IsNameByte reports whether a byte may stand in a name.
func IsNameByte(c byte) bool {
	return c == '_' || c >= utf8.RuneSelf || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// maxDepth bounds how deeply the expressions and values of a suite may nest.
const MaxDepth = 200

// underCondition is why an assertion is not understood that may not even be come to.
const UnderCondition = "it is inside a condition"

// GeneratedName reports whether a variable is one that the generator assigns in the test itself; others may come with
// the helper module, of which all is imported.
func GeneratedName(name string) bool {
	if name == "body" || name == "headers" {
		return true
	}
	for _, prefix := range []string{"res_", "location_", "token_", "auth_", "cookies_", "link_"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

var SchemeAndHost = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9+.-]*://[^/?#]*`)

// PathOf takes the base URL, where one is written out, and the fragment from a URL.
func PathOf(url string) string {
	url, _, _ = strings.Cut(url, "#")
	return strings.TrimPrefix(url, SchemeAndHost.FindString(url))
}

// HasVariable reports whether what is to be sent as it is would be taken for a variable.
func HasVariable(parts []TextPart) bool {
	for _, p := range parts {
		if strings.Contains(p.Text, "{{") {
			return true
		}
	}
	return false
}

// urlBase is what comes before the path in a URL with variables in {{ }}: one that holds a scheme and a host, or the
// like in pieces.
var UrlBase = regexp.MustCompile(
	`^(?:(?:\{\{[^{}]*\}\}|[a-zA-Z][a-zA-Z0-9+.-]*)://(?:\{\{[^{}]*\}\}|[^/?#{}])*|\{\{[^{}]*\}\}(?::(?:\d+|\{\{[^{}]*\}\}))?|[^/?#{}]+)`)

// TargetBehind splits a target where it goes on behind the base of a URL that a suite writes. sent is the target that
// URL led to: its path may begin with what a variable of the base holds. ok is false where that does not begin the
// target too.
func TargetBehind(raw, sent string, target []TextPart) (base string, rest []TextPart, ok bool) {
	base = UrlBase.FindString(raw)
	own, _, _ := strings.Cut(raw[len(base):], "#")
	own, _, _ = strings.Cut(own, "?")
	path, _ := exchange.SplitTarget(sent)
	for n := strings.Count(own, "/"); n > 0; n-- {
		i := strings.LastIndexByte(path, '/')
		if i < 0 {
			return "", nil, false
		}
		path = path[:i]
	}
	if own == "" { // a base alone is sent as the path that it holds, which is "/" where it holds none
		path = strings.TrimSuffix(path, "/")
	}
	if base == "" || len(target) == 0 || target[0].Variable != "" || !strings.HasPrefix(target[0].Text, path+"/") {
		return "", nil, false
	}
	rest = append([]TextPart{{Text: target[0].Text[len(path):]}}, target[1:]...)
	return base, rest, true
}

// Unknown stands in a text of a suite for what is not written out there.
const Unknown = "\x00"

// PathWritten is the path and query of a URL as far as it is written out: what is unknown before its first slash is
// where the API is.
func PathWritten(text string) string {
	text, _, _ = strings.Cut(text, "#")
	scheme, rest, ok := strings.Cut(text, "://")
	if !ok || scheme == "" || strings.ContainsAny(scheme, "/?") {
		return strings.TrimPrefix(text, Unknown)
	}
	if i := strings.IndexAny(rest, "/?"); i >= 0 {
		return "/" + strings.TrimPrefix(rest[i:], "/")
	}
	return "/"
}

// PathAnswered is what PathWritten is, where a URL may go on with what an answer gave right behind where the API is, as
// base + res.headers.location does: any path may stand there.
func PathAnswered(text string) string {
	base := Unknown
	if scheme, rest, ok := strings.Cut(text, "://"); ok && !strings.ContainsAny(scheme, "/?"+Unknown) {
		end := strings.IndexAny(rest+"/", "/?#"+Unknown)
		if _, port, ok := strings.Cut(rest[:end], ":"); !ok || port == "" {
			return PathWritten(text) // what is not known may be the rest of the host, or the port
		}
		base = scheme + "://" + rest[:end]
	}
	path, ok := strings.CutPrefix(text, base)
	if !ok || !strings.HasPrefix(path, Unknown) {
		return PathWritten(text)
	}
	path, _, _ = strings.Cut(path, "#")
	return "/" + path
}

// PathAsked is the path and query of a URL by its text, as far as it is written out, and by what it is made of.
func PathAsked(text string, of expr.Expr) string {
	if expr.Mentions[expr.Answer](of) {
		return PathAnswered(text)
	}
	return PathWritten(text)
}

// QueryWritten writes a part of a query; what is unknown of it stays that.
func QueryWritten(text string) string {
	parts := strings.Split(text, Unknown)
	for i, p := range parts {
		parts[i] = url.QueryEscape(p)
	}
	return strings.Join(parts, Unknown)
}

// ClientMethod is the method that a function of a client is named after, as get is; "" where its first argument says
// it, as that of request does. It is false for the name of any other function.
func ClientMethod(name string) (method string, sends bool) {
	switch name {
	case "get", "post", "put", "patch", "delete", "head", "options":
		return strings.ToUpper(name), true
	}
	return "", name == "request"
}

// JavaHash is Java's String.hashCode, for the names of methods and classes, which are ASCII.
func JavaHash(name string) int32 {
	var h int32
	for _, r := range name {
		h = 31*h + r
	}
	return h
}

// Slashed is the path of a file with slashes, as [Beside] takes one.
func Slashed(path string) string { return strings.ReplaceAll(path, "\\", "/") }

// Either is what two texts have in common of which one is meant: how both begin and how both end, and between these
// what is unknown.
func Either(a, b string) string {
	if a == b {
		return a
	}
	first, last := 0, 0
	x, y := []rune(a), []rune(b)
	n := min(len(x), len(y))
	for first < n && x[first] == y[first] {
		first++
	}
	for last < n-first && x[len(x)-1-last] == y[len(y)-1-last] {
		last++
	}
	return string(x[:first]) + Unknown + string(x[len(x)-last:])
}
