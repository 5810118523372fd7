package build

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/write/plan"
)

// A test is named by what it asks for, what sets that apart from the first request of its operation that went well, and
// what comes of it: get_order_is_200, post_orders_without_email_is_422. A name follows from the test's own requests and
// from earlier ones, so that it stays when others come.

const (
	maxTestName = 80 // the length of a name, in bytes
	maxApart    = 2  // how many members or parameters a name tells of
)

// testName tells what a test does: as the client named it, else its operations, as many as fit.
func (b *builder) testName(d draft) string {
	first := d.tested[0]
	switch {
	case len(d.tested) > 1 && d.sequence != "":
		return plan.Slug(d.sequence)
	case len(d.tested) > 1:
		return b.storyName(d)
	case first.Exchange.Response == nil:
		return b.requestName(first.Exchange, 0) + "_fails"
	}
	status := b.statusOf(first)
	return shortened(b.requestName(first.Exchange, status), maxTestName-len("_is_000")) + fmt.Sprintf("_is_%d", status)
}

// storyName names a test of several requests by these, each said once where it follows itself.
func (b *builder) storyName(d draft) string {
	var parts []string
	for _, s := range d.tested {
		if part := b.requestName(s.Exchange, 0); len(parts) == 0 || parts[len(parts)-1] != part {
			parts = append(parts, part)
		}
	}
	first, last, end := d.tested[0], d.tested[len(d.tested)-1], ""
	if last.Exchange.Response != nil && first.Exchange.Response != nil && b.statusOf(last) != b.statusOf(first) {
		end = fmt.Sprintf("_ends_in_%d", b.statusOf(last))
	}
	if len(parts) == 1 {
		return shortened(fmt.Sprintf("%s_%d_times", parts[0], len(d.tested)), maxTestName-len(end)) + end
	}
	name := parts[0]
	for i, part := range parts[1:] {
		if len(name)+len("_then_")+len(part)+len(end) > maxTestName {
			return fmt.Sprintf("%s_and_%d_more", name, len(parts)-1-i) + end
		}
		name += "_then_" + part
	}
	return name + end
}

// requestName is what a request asks for, and what sets it apart; status is what it is to be answered, 0 where the
// name does not depend on that.
func (b *builder) requestName(e *exchange.Exchange, status int) string {
	op, ok := b.src.Operations[e.Seq]
	if !ok {
		path, _ := exchange.SplitTarget(e.Request.Target)
		op = exchange.Operation{Method: e.Request.Method, Template: path}
	}
	missing := ""
	if status == 404 || status == 410 {
		missing = b.missing(e)
	}
	words := []string{plan.Slug(op.Method), missing + resourceName(b.src.Redactor.Show("", op.Template))}
	words = append(words, b.apartFrom(e, b.firstOf(op), status)...)
	if change := b.changedBy(e); change != "" && missing == "" {
		words = append(words, "after_"+change)
	}
	return strings.Join(words, "_")
}

// changedBy is the method that last changed what a request reads, "" where none did.
func (b *builder) changedBy(e *exchange.Exchange) string {
	if !e.Request.Safe() {
		return ""
	}
	method := ""
	path, _ := exchange.SplitTarget(e.Request.Target)
	for _, seq := range b.session.Changes(path) {
		if m := b.steps[seq].Exchange.Request.Method; seq < e.Seq && m != "DELETE" {
			method = plan.Slug(m)
		}
	}
	return method
}

// missing says of an answer that something is not there why that is, as far as the recording tells.
func (b *builder) missing(e *exchange.Exchange) string {
	path, _ := exchange.SplitTarget(e.Request.Target)
	op := b.src.Operations[e.Seq]
	switch {
	case slices.ContainsFunc(b.session.Changes(path), func(seq uint64) bool {
		return seq < e.Seq && b.steps[seq].Exchange.Request.Method == "DELETE"
	}):
		return "deleted_"
	case strings.HasSuffix(op.Template, "}"):
		return "unknown_"
	}
	return ""
}

// resourceName names what a template is for: /orders/{id}/events is order_events. A parameter makes one of many.
func resourceName(template string) string {
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

// firstOf is the first exchange of an operation that went well, nil where none did.
func (b *builder) firstOf(op exchange.Operation) *exchange.Exchange {
	if b.first == nil {
		b.first = map[exchange.Operation]*exchange.Exchange{}
		for i := range b.src.Steps {
			e := b.src.Steps[i].Exchange
			of, ok := b.src.Operations[e.Seq]
			if ok && b.first[of] == nil && e.Response != nil && e.Response.Status < 400 {
				b.first[of] = e
			}
		}
	}
	return b.first[op]
}

// apartFrom tells what sets a request apart from another of its operation.
func (b *builder) apartFrom(e, first *exchange.Exchange, status int) []string {
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
			out = append(out, h.word+"_"+shortened(plan.Slug(v), 20))
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

// shortened is a name of so many bytes at most, cut at a word where it can be.
func shortened(name string, most int) string {
	if len(name) <= most {
		return name
	}
	name = name[:most]
	if i := strings.LastIndexByte(name, '_'); i > most/2 {
		name = name[:i]
	}
	return strings.TrimRight(name, "_")
}

// apart finds a name of its own for a test whose name is taken: the next time is said by its number.
func apart(name string, names map[string]bool) string {
	for n := 2; ; n++ {
		if next := fmt.Sprintf("%s_%d", name, n); !names[next] {
			return next
		}
	}
}
