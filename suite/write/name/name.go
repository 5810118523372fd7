package name

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/write/plan"
)

// maxApart is how many members or parameters a name tells of.
const maxApart = 2

// Resource names what a template is for: /orders/{id}/events is order_events. A parameter makes one of many.
func Resource(template string) string {
	var words []string
	for part := range strings.SplitSeq(strings.Trim(template, "/"), "/") {
		switch {
		case part == "", part == "api", versionForm.MatchString(part):
		case strings.HasPrefix(part, "{") && len(words) > 0:
			words[len(words)-1] = oneOf(words[len(words)-1], plan.Slug(strings.Trim(part, "{}")))
		default:
			words = append(words, plan.Slug(part))
		}
	}
	if len(words) == 0 {
		return "root"
	}
	return strings.Join(words, "_")
}

var versionForm = regexp.MustCompile(`^v\d+$`)

// oneOf is the singular of a word, as English forms it, or tells by what one of it is found.
func oneOf(word, parameter string) string {
	switch {
	case strings.HasSuffix(word, "ies") && len(word) > 4:
		return word[:len(word)-3] + "y"
	case strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss") && !strings.HasSuffix(word, "us") && len(word) > 3:
		return word[:len(word)-1]
	}
	return word + "_by_" + parameter
}

// Apart tells, in words of a name, what sets a request apart from the first of its operation that went well:
// parameters, headers, credentials, members of its body. There are none where first is nil, or where e, answered with
// status, came before it and succeeded.
func Apart(e, first *exchange.Exchange, status int) []string {
	if first == nil || first.Seq > e.Seq && status < 400 {
		return nil
	}
	var out []string
	_, query := exchange.SplitTarget(e.Request.Target)
	_, before := exchange.SplitTarget(first.Request.Target)
	values, _ := url.ParseQuery(query)
	others, _ := url.ParseQuery(before)
	out = append(out, membersApart(keysOf(values), keysOf(others))...)
	for _, h := range []struct{ name, word string }{
		{"Accept-Language", "in"}, {"Accept", "as"}, {"Prefer", "preferring"},
	} {
		if v := e.Request.Header.Get(h.name); v != "" && v != first.Request.Header.Get(h.name) {
			out = append(out, h.word+"_"+Short(plan.Slug(v), 20))
		}
	}
	for _, name := range []string{"If-Match", "If-None-Match", "Range"} {
		if e.Request.Header.Has(name) && !first.Request.Header.Has(name) {
			out = append(out, "with_"+plan.Slug(name))
		}
	}
	if signed(first) && !signed(e) {
		out = append(out, "without_credentials")
	}
	return append(out, bodyApart(e, first)...)
}

func signed(e *exchange.Exchange) bool {
	return e.Request.Header.Has("Authorization") || e.Request.Header.Has("Cookie")
}

func keysOf[V any](values map[string]V) map[string]string {
	out := map[string]string{}
	for name := range values {
		out[name] = ""
	}
	return out
}

// bodyApart tells what sets the JSON object of a body apart from another: the members that it lacks or has beside, and
// those of another type.
func bodyApart(e, first *exchange.Exchange) []string {
	mine, ok := members(e)
	theirs, other := members(first)
	switch {
	case !other:
		return nil
	case len(e.Request.Body) == 0:
		return []string{"without_body"}
	case !ok:
		return []string{"with_another_body"}
	}
	return membersApart(mine, theirs)
}

// members lists the types of the members of a request's JSON object, by name.
func members(e *exchange.Exchange) (map[string]string, bool) {
	payload, err := e.Request.Payload()
	if err != nil {
		return nil, false
	}
	root := plan.ReadNode(payload)
	if root == nil || root.Raw != "{" {
		return nil, false
	}
	out := map[string]string{}
	for i, k := range root.Kids {
		out[root.Keys[i]] = plan.KindOf(k.Raw)
	}
	return out, true
}

// membersApart tells what names, and types of these, one has and another has not.
func membersApart(mine, theirs map[string]string) []string {
	var with, without, as []string
	for name, kind := range mine {
		switch other, ok := theirs[name]; {
		case !ok:
			with = append(with, plan.Slug(name))
		case kind != other:
			as = append(as, plan.Slug(name)+"_as_"+kind)
		}
	}
	for name := range theirs {
		if _, ok := mine[name]; !ok {
			without = append(without, plan.Slug(name))
		}
	}
	var out []string
	for _, l := range []struct {
		word  string
		names []string
	}{{"without", without}, {"with", as}, {"with", with}} {
		slices.Sort(l.names)
		if n := len(l.names); n > maxApart {
			l.names = append(l.names[:maxApart:maxApart], fmt.Sprintf("%d_more", n-maxApart))
		}
		if len(l.names) > 0 {
			out = append(out, l.word+"_"+strings.Join(l.names, "_and_"))
		}
	}
	return out
}

// Short is a name of so many bytes at most, cut at a word where it can be.
func Short(name string, most int) string {
	if len(name) <= most {
		return name
	}
	name = name[:most]
	if i := strings.LastIndexByte(name, '_'); i > most/2 {
		name = name[:i]
	}
	return strings.TrimRight(name, "_")
}

// Again finds a name of its own for a test whose name is taken: the next time is said by its number.
func Again(name string, taken map[string]bool) string {
	for n := 2; ; n++ {
		if next := fmt.Sprintf("%s_%d", name, n); !taken[next] {
			return next
		}
	}
}
