package jvm

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/java"
	"github.com/flaketap/flaketap/suite/jvm/meaning"
	"github.com/flaketap/flaketap/suite/jvm/polling"
	"github.com/flaketap/flaketap/suite/jvm/sending"
	"github.com/flaketap/flaketap/suite/script"
)

// poll has a test wait at a read: see [script.Writer.Poll].
func (w *written) poll(s *script.Script, t *script.Test, of script.Wait) []script.Edit {
	end, value := w.reads[of.Call], w.valued[of.Call]
	if end == 0 && value == nil || of.Call.At.Start < t.BodyStart {
		return nil
	}
	if end > 0 { // an answer of REST-assured's
		value = nil
	}
	site := polling.Site{Script: s, Test: t, Call: of.Call, End: end, Kotlin: w.kotlin, Free: w.style.Response,
		Response: "io.restassured.response.Response", Unit: w.grafts.Unit(t), Helper: len(s.Text), Value: value,
		JDK: w.module.Has("java.net.http.HttpResponse"), File: w.module, Awaitility: polling.HasAwaitility(s, w.text),
		Import: func(classes []string) []script.Edit { return w.language().Import(s, classes) }}
	if w.module.Has("io.restassured.response.Response") {
		site.Response = "Response"
	}
	class, _, _ := strings.Cut(w.module.Nested(w.grafts.Methods[t].Class), ".")
	if w.kotlin {
		class = ""
	}
	for _, f := range w.module.Methods {
		if !w.holds(f.Close) {
			continue
		}
		if f.Name == site.Name() {
			if !w.isPoll(f) || f.Class != class {
				return nil
			}
			site.Defined = true
		}
		if f.Class == class && !w.kotlin {
			site.Helper, site.Margin = w.module.Tokens[f.Close].End, w.span(f.Head, f.Head+1).Indent
		}
	}
	if !site.Defined && !w.kotlin && site.Helper == len(s.Text) {
		return nil
	}
	return site.Write(of)
}

// isPoll reports whether a method is the function that is written here.
func (w *written) isPoll(f *java.Method) bool {
	if !slices.Contains(polling.Names(), f.Name) || !w.holds(f.Head) {
		return false
	}
	_, says, ok := w.script.CommentAbove(w.span(f.Head, f.Head+1))
	return ok && says == script.PollRemark
}

// notes keeps which call of the test's own statement is the first to give the answer to a request of REST-assured's.
func (r *follower) notes(c java.Call, x java.Node) {
	a, ok := x.(answerNode)
	if !ok || !a.response || a.client != sending.RESTAssured {
		return
	}
	sent := r.sent(a)
	_, known := r.file.reads[sent]
	plain := r.own && !r.in.condition && !r.in.guarded && !r.in.handed && r.file.holds(c.To-1)
	end := r.file.module.Tokens[c.To-1].End
	if sent != nil && plain && !known && r.site.Start <= end && end <= r.site.End {
		r.file.reads[sent] = end
	}
}

// givesRead notes that a statement of the test's own gives a name what one read was answered, or what was made of
// that.
func (r *follower) givesRead(x java.Node, value, calls int) {
	if !r.own || r.rows != nil || r.in.condition || r.in.guarded || r.in.handed || len(r.test.Calls) != calls+1 ||
		!r.file.holds(value) {
		return
	}
	c := r.test.Calls[calls]
	of := &polling.Value{From: r.file.module.Tokens[value].Start}
	known := false
	switch x := x.(type) {
	case answerNode:
		known = x.client != sending.RESTAssured && of.AskByGson(r.file.module, x.client == sending.OkHTTP, r.file.kotlin)
	case meaning.Value:
		known = expr.Identical(x.X, expr.Answer{Var: c.Var, Part: expr.JSON}) &&
			of.AskMade(r.file.module, x.Typ, x.Bound, r.file.kotlin)
	}
	if known {
		r.file.valued[c] = of
	}
}

// sent is the call that an answer is the answer to.
func (r *follower) sent(a answerNode) *script.Call {
	i := slices.IndexFunc(r.test.Calls, func(c *script.Call) bool { return c.Var == a.id })
	if i < 0 {
		return nil
	}
	return r.test.Calls[i]
}

// polled is what a read gives that is sent until it is ready: the last answer.
func (r *follower) polled(read java.Lambda) java.Node {
	own, sent := r.own, len(r.test.Calls)
	r.own = false
	x, _ := r.inside(read, r.env["it"], nil) // which has no parameter, and may speak of the it around it
	r.own = own
	for _, c := range r.test.Calls[sent:] {
		c.Many, c.Last = true, true
	}
	return x
}
