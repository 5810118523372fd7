package build

import (
	"fmt"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/write/name"
	"github.com/flaketap/flaketap/suite/write/plan"
)

// A test is named by what it asks for, what sets that apart from the first request of its operation that went well, and
// what comes of it: get_order_is_200, post_orders_without_email_is_422. A name follows from the test's own requests and
// from earlier ones, so that it stays when others come.

// maxTestName is the length of a name, in bytes.
const maxTestName = 80

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
	return name.Short(b.requestName(first.Exchange, status), maxTestName-len("_is_000")) + fmt.Sprintf("_is_%d", status)
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
		return name.Short(fmt.Sprintf("%s_%d_times", parts[0], len(d.tested)), maxTestName-len(end)) + end
	}
	story := parts[0]
	for i, part := range parts[1:] {
		if len(story)+len("_then_")+len(part)+len(end) > maxTestName {
			return fmt.Sprintf("%s_and_%d_more", story, len(parts)-1-i) + end
		}
		story += "_then_" + part
	}
	return story + end
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
	words := []string{plan.Slug(op.Method), missing + name.Resource(b.src.Redactor.Show("", op.Template))}
	words = append(words, name.Apart(e, b.firstOf(op), status)...)
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
