package flow

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/message"
)

// Paths are the path templates that somebody has written down, as OpenAPI writes them: /orders/{id},
// /files/{name}.json. The nil Paths has none.
type Paths struct {
	byLength map[int][]pathTemplate // by the number of segments, the most specific first
}

// pathTemplate is one template, cut into segments.
type pathTemplate struct {
	text     string
	segments []pathSegment
}

// pathSegment is a segment of a template: a fixed text, unescaped, or, with a parameter in it, what stands before its
// first and behind its last brace.
type pathSegment struct {
	fixed          string
	parameter      bool
	before, behind string
}

// maxTemplateText bounds a template, in bytes.
const maxTemplateText = 8 << 10

// NewPaths reads templates. What does not begin with a slash, is longer than 8 KiB or has control characters is left
// out; of several that say the same the first counts.
func NewPaths(templates []string) *Paths {
	p := &Paths{byLength: make(map[int][]pathTemplate)}
	for _, text := range templates {
		if !strings.HasPrefix(text, "/") || len(text) > maxTemplateText || strings.ContainsFunc(text, unicode.IsControl) {
			continue
		}
		t := pathTemplate{text: text}
		for s := range strings.SplitSeq(text[1:], "/") {
			t.segments = append(t.segments, segmentOf(s))
		}
		p.byLength[len(t.segments)] = append(p.byLength[len(t.segments)], t)
	}
	for _, all := range p.byLength {
		slices.SortStableFunc(all, moreSpecific)
	}
	return p
}

func segmentOf(s string) pathSegment {
	open, end := strings.IndexByte(s, '{'), strings.LastIndexByte(s, '}')
	if open < 0 || end < open {
		return pathSegment{fixed: message.UnescapePath(s)}
	}
	return pathSegment{parameter: true, before: message.UnescapePath(s[:open]), behind: message.UnescapePath(s[end+1:])}
}

// moreSpecific puts the template first that has a fixed segment, or more fixed text in one, where the other has less: a
// concrete path comes before a template, as OpenAPI says.
func moreSpecific(a, b pathTemplate) int {
	for i := range a.segments {
		if c := cmp.Compare(b.segments[i].weight(), a.segments[i].weight()); c != 0 {
			return c
		}
	}
	return 0
}

func (s pathSegment) weight() int {
	if s.parameter {
		return len(s.before) + len(s.behind)
	}
	return 1 << 20
}

func (s pathSegment) matches(segment string) bool {
	if !s.parameter {
		return segment == s.fixed
	}
	return len(segment) > len(s.before)+len(s.behind) && strings.HasPrefix(segment, s.before) &&
		strings.HasSuffix(segment, s.behind)
}

// Template returns the template of the path of a request; ok is false where none fits.
func (p *Paths) Template(r *exchange.Request) (template string, ok bool) {
	if p == nil {
		return "", false
	}
	segments := message.PathSegments(r)
	if segments == nil {
		return "", false
	}
	for i, s := range segments {
		segments[i] = message.UnescapePath(s)
	}
	for _, t := range p.byLength[len(segments)] {
		if slices.EqualFunc(t.segments, segments, pathSegment.matches) {
			return t.text, true
		}
	}
	return "", false
}

// Operations is [Operations] with the path templates that are written down, where one fits a request.
func (r Rules) Operations(exchanges []*exchange.Exchange, bindings []exchange.Binding) map[uint64]exchange.Operation {
	out := Operations(exchanges, bindings)
	for _, e := range exchanges {
		if template, ok := r.Paths.Template(&e.Request); ok {
			op := out[e.Seq]
			op.Template = template
			out[e.Seq] = op
		}
	}
	return out
}
