package graft

import (
	"regexp"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/script"
	"github.com/flaketap/flaketap/suite/setup"
)

// A set-up of a test that a person wrote is sent by the client of the test, and speaks to literals of the test.

// sentAnyway reports whether a header of a set-up is one that the test's own client adds by itself: other requests of
// the test have the same, and do not write it out.
func (w *builder) sentAnyway(f script.HeaderField) bool {
	if w.in.Script.Writer.Graft.Bind == nil || bound(f.Value) {
		return false
	}
	switch strings.ToLower(f.Name) + ": " + f.Value[0].Text {
	case "accept: */*", "accept: application/json, text/plain, */*", "accept-language: *", "sec-fetch-mode: cors":
		return true // as requests, httpx, fetch and axios say nothing else
	}
	for i, c := range w.t.Calls {
		if i >= len(w.g.Calls) || strings.EqualFold(f.Name, "content-type") {
			continue
		}
		_, written := c.Header(strings.ToLower(f.Name), 0)
		if !written && slices.Contains(w.inSession(i).Header.Values(f.Name), f.Value[0].Text) {
			return true
		}
	}
	return false
}

// inSession is the request of a call of the test as the session has it; that of an execution where it is not found.
func (w *builder) inSession(call int) *exchange.Request {
	for _, e := range w.in.Session {
		if e.Seq == w.g.Calls[call].Seq {
			return &e.Request
		}
	}
	return &w.g.Calls[call].Request
}

// bind puts the bound values of a request into the test that sends it, where they stand in it as literals.
func (w *builder) bind(lang *script.Grafter, c *script.Call, own *exchange.Request, m requestPieces) bool {
	path, query := exchange.SplitTarget(own.Target)
	if strings.Contains(own.Target, "?") {
		path += "?" + query
	}
	payload, err := own.Payload()
	handed := w.isHanded(slices.Index(w.t.Calls, c)) // its path follows as it is
	ok := err == nil && (handed || w.bindText(lang, c, path, m.target)) && w.bindText(lang, c, string(payload), m.body)
	for k, f := range m.headers {
		h, written := c.Header(strings.ToLower(f.Name), 0)
		if ok && bound(f.Value) && written && !strings.Contains(h.Value, script.Unknown) {
			ok = h.Value == own.Header[k].Value && w.bindText(lang, c, h.Value, f.Value)
		}
	}
	return ok
}

func (w *builder) bindText(lang *script.Grafter, c *script.Call, sent string, parts []script.TextPart) bool {
	if !bound(parts) {
		return true
	}
	edits, ok := lang.Bind(w.in.Script, c, sent, parts)
	if !ok || !w.mayWrite("", parts) {
		return false
	}
	for _, e := range edits {
		clash := false
		for _, other := range w.edits {
			clash = clash || other.Start < e.End && e.Start < other.End && other != e
		}
		if clash {
			return false
		}
		if !slices.Contains(w.edits, e) {
			w.edits = append(w.edits, e)
		}
	}
	return true
}

// readsAgain reports whether the test, with its set-up in it, reads as it is meant: its requests are those of the
// set-up and its own, and of these only what was bound is another.
func (w *builder) readsAgain() bool {
	again, err := w.in.Script.Again(script.Apply(w.in.Script.Text, w.edits))
	if err != nil || len(again.Tests) != len(w.in.Script.Tests) {
		return false
	}
	n := slices.Index(w.in.Script.Tests, w.t)
	var own []*script.Call
	var given []string
	for _, c := range again.Tests[n].Calls {
		if strings.HasPrefix(c.Var, script.SetUpPrefix) {
			given = append(given, c.Method)
		} else {
			own = append(own, c)
		}
	}
	if again.Tests[n].Name != w.t.Name || !slices.Equal(given, w.setUpMethods()) || len(own) < len(w.t.Calls) ||
		len(own) > len(w.t.Calls)+len(w.g.CleanUp) {
		return false
	}
	for i, c := range own[:len(w.t.Calls)] { // behind them some dialects read the clean-up
		was := w.t.Calls[i]
		target := w.usesIn(i, "path") && !w.isHanded(i) || w.usesIn(i, "query") || w.renews(was.Target)
		body := w.usesIn(i, "body") || w.renews(was.Body)
		if c.Method != was.Method || !target && c.Target != was.Target || !w.leads(c, i) ||
			!body && (c.Body != was.Body || c.Dynamic != was.Dynamic) || w.renews(c.Target) || w.renews(c.Body) {
			return false
		}
	}
	for i, c := range own[len(w.t.Calls):] {
		if c.Method != w.g.CleanUp[i].Request.Method {
			return false
		}
	}
	return true
}

// setUpMethods are those of the requests of the set-up, with those that look first.
func (w *builder) setUpMethods() (methods []string) {
	for _, s := range w.g.Steps {
		if s.Look != nil {
			methods = append(methods, s.Look.Request.Method)
		}
		methods = append(methods, s.Request.Method)
	}
	return methods
}

// leads reports whether the target of a call that was read again leads to what was sent, and says it otherwise than
// before where a value was bound in it.
func (w *builder) leads(c *script.Call, call int) bool {
	if w.isHanded(call) || !w.usesIn(call, "path") && !w.usesIn(call, "query") || call >= len(w.g.Calls) {
		return true
	}
	var pattern strings.Builder
	for i, text := range strings.Split(c.Target, script.Unknown) {
		if i > 0 {
			pattern.WriteString(".*")
		}
		pattern.WriteString(regexp.QuoteMeta(text))
	}
	re, err := regexp.Compile(pattern.String() + "$")
	return err == nil && c.Target != w.t.Calls[call].Target && re.MatchString(w.g.Calls[call].Request.Target)
}

// usesIn reports whether a call of the test holds a bound value at a part of its request.
func (w *builder) usesIn(call int, root string) bool {
	for _, b := range w.g.Binds {
		if slices.ContainsFunc(b.Uses, func(u setup.BindUse) bool {
			return u.In == setup.InCall && u.At == call && u.Place.Root() == root
		}) {
			return true
		}
	}
	return false
}
