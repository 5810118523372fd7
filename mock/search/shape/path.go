package shape

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/internal/lazy"
)

// Path is a target's path with its varying segments as {}: those with a digit that is none of a version, and those that
// were given.
func Path(target string, given map[string]bool) string {
	target, _, _ = strings.Cut(target, "?")
	segments := strings.Split(target, "/")
	for i, s := range segments {
		if s != "" && (given[s] || slices.ContainsFunc(strings.Split(s, "."), numbered)) {
			segments[i] = "{}"
		}
	}
	return strings.Join(segments, "/")
}

// numbered reports whether a part of a segment has a digit. Services of gRPC have versions between dots.
func numbered(part string) bool { return digits().MatchString(part) && !version().MatchString(part) }

var version = lazy.Regexp(`^v[0-9]+((alpha|beta)[0-9]*)?$`)
