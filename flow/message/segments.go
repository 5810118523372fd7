package message

import (
	"net/url"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/words"
)

// maxSegments bounds the depth of the paths that are told apart; what is deeper is one segment.
const maxSegments = 64

// PathSegments returns the segments of the path as sent, nil where the target has no path.
func PathSegments(r *exchange.Request) []string {
	path, _ := exchange.SplitTarget(r.Target)
	path, _, _ = strings.Cut(path, "#")
	if r.Method == "CONNECT" || !strings.HasPrefix(path, "/") {
		return nil
	}
	return strings.SplitN(path[1:], "/", maxSegments)
}

// UnescapePath returns a path segment without its percent-encoding; as it is where that is broken.
func UnescapePath(raw string) string {
	s, err := url.PathUnescape(raw)
	if err != nil {
		return raw // a stray percent sign: no word in any case
	}
	return s
}

// Collection returns the path of a request-target, without a slash at its end.
func Collection(target string) string {
	path, _ := exchange.SplitTarget(target)
	return strings.TrimRight(path, "/")
}

// LastSegment returns the last segment of a path that reads like a word, unescaped or not: the name of the collection.
func LastSegment(path string) string {
	segments := strings.Split(path, "/")
	for i := len(segments) - 1; i >= 0; i-- {
		if words.LooksLikeWord(segments[i]) {
			return segments[i]
		}
	}
	return ""
}
