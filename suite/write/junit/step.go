package junit

import (
	"encoding/base64"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/suite/write/plan"
)

// class writes one test class.
type class struct {
	*language
	common  plan.Common
	used    map[string]bool   // what of the runtime, and of Hamcrest, the class calls
	shared  map[uint64]string // the names of the set-ups that tests share
	headers []plan.Header     // those that go with each request
}

// use notes that a function of the runtime is called, and returns its name.
func (w *class) use(name string) string {
	w.used[name] = true
	return name
}

// text writes a literal text, in as many parts as it needs.
func (w *class) text(text string) doc {
	if len(text) > maxChunk {
		w.use("text")
	}
	return w.language.text(text)
}

// expression writes a text as one expression. base is the address that a request is sent to, where it is not the
// plan's.
func (w *class) expression(t plan.Text, base string) doc {
	var parts []doc
	for _, p := range joined(t) {
		switch {
		case p.Bound != "":
			parts = append(parts, w.escaped(p.Escape, w.call(w.use("bound"), w.text(p.Bound))))
		case p.Secret != "":
			parts = append(parts, w.escaped(p.Escape, w.call(w.use("secret"), w.text(p.Secret))))
		case p.Host && base != "":
			parts = append(parts, w.call(w.use("host"), w.text(base)))
		case p.Host:
			parts = append(parts, w.call(w.use("host")))
		case len(p.Literal) > maxChunk:
			parts = append(parts, w.call(w.use("text"), w.chunks(p.Literal)...))
		default:
			parts = append(parts, w.constants(p.Literal)...)
		}
	}
	return w.sum(parts)
}

// joined puts neighbouring literals together. There is one piece at least.
func joined(t plan.Text) plan.Text {
	var out plan.Text
	for _, p := range t {
		isLiteral := p.Bound == "" && p.Secret == "" && !p.Host
		if n := len(out); isLiteral && n > 0 && out[n-1].Bound == "" && out[n-1].Secret == "" && !out[n-1].Host {
			out[n-1].Literal += p.Literal
			continue
		}
		if !isLiteral || p.Literal != "" {
			out = append(out, p)
		}
	}
	if len(out) == 0 {
		return plan.Text{{}}
	}
	return out
}

func (w *class) escaped(how plan.Escape, value doc) doc {
	switch how {
	case plan.InPath:
		return w.call(w.use("inPath"), value)
	case plan.InQuery:
		return w.call(w.use("inQuery"), value)
	case plan.InJSON:
		return w.call(w.use("inJson"), value)
	case plan.AsJSON:
		return w.call(w.use("asJson"), value)
	}
	return value
}

// request writes the sending of a step's request as one chain of calls.
func (w *class) request(s plan.Step) doc {
	var links []link
	add := func(name string, args ...doc) { links = append(links, link{name, args}) }
	filter := func(name string, args ...doc) { add("filter", w.call(w.use(name), args...)) }
	switch s.Base {
	case "":
	case plan.MocksBase:
		add("baseUri", w.call(w.use("services")))
	default:
		add("baseUri", w.text(s.Base))
	}
	if s.Ending != plan.Answered {
		filter("within", word(strconv.Itoa(s.EndsWithin())))
	}
	method, target := s.Method, w.expression(s.Target, s.Base)
	if !plainTarget(s.Target) {
		filter("target", target)
		target = word(w.literal("/"))
	}
	if !plainMethod.MatchString(method) {
		filter("method", w.text(method))
		method = "GET"
	}
	if s.Body != nil && s.Body.Chunked {
		filter("chunked")
	}
	sent, without := plan.Without(s.OwnHeaders(w.headers))
	for _, h := range shownHeaders(sent) {
		add("header", w.text(h.Name), w.expression(h.Value, s.Base))
		for _, usual := range w.headers {
			if strings.EqualFold(usual.Name, h.Name) {
				without = append(without, usual.Name)
			}
		}
	}
	if s.Body != nil {
		add("body", w.body(s))
	}
	add(w.when())
	add("request", w.text(method), target)
	var names []doc
	for _, name := range without {
		names = append(names, w.text(name))
	}
	return w.chain(w.call(w.use("given"), names...), links...)
}

// shownHeaders lists the headers of a request. REST-assured has room for one Accept and one Content-Type: the lines of
// one are put into one line, which means the same.
func shownHeaders(headers []plan.Header) []plan.Header {
	var out []plan.Header
	for _, h := range headers {
		i := slices.IndexFunc(out, func(o plan.Header) bool { return strings.EqualFold(o.Name, h.Name) })
		if i >= 0 && (strings.EqualFold(h.Name, "Accept") || strings.EqualFold(h.Name, "Content-Type")) {
			out[i].Value = slices.Concat(out[i].Value, plan.Text{{Literal: ", "}}, h.Value)
			continue
		}
		out = append(out, h)
	}
	return out
}

// body writes the body of a request.
func (w *class) body(s plan.Step) doc {
	t := joined(s.Body.Text)
	switch {
	case len(s.Body.Bytes) > 0:
		return w.call(w.use("fromBase64"),
			w.expression(plan.Text{{Literal: base64.StdEncoding.EncodeToString(s.Body.Bytes)}}, ""))
	case t[0].Escape == plan.FromBase64:
		return w.call(w.use("fromBase64"), w.expression(t, s.Base))
	}
	return w.expression(t, s.Base)
}

var (
	plainMethod = regexp.MustCompile(`^[A-Z]+$`)
	plainURL    = regexp.MustCompile(
		`^(/[\w.~!$&'()*,;=:@-][\w.~!$&'()*,;=:@/-]*|/)(\?[\w.~-]+=[\w.~!$'()*,:@%-]+(&[\w.~-]+=[\w.~!$'()*,:@%-]+)*)?$`)
	anEscape = regexp.MustCompile(`%[0-9A-Fa-f]{2}`)
	aPair    = regexp.MustCompile(`[?&]([^=]+)=`)
)

// plainTarget reports whether REST-assured, which takes a query to its pairs and puts it together again, leaves a
// target as it is.
func plainTarget(t plan.Text) bool {
	var b strings.Builder
	for _, p := range t {
		switch {
		case p.Bound == "" && p.Secret == "" && !p.Host:
			b.WriteString(p.Literal)
		case p.Escape == plan.InPath || p.Escape == plan.InQuery:
			b.WriteString("x")
		default:
			return false
		}
	}
	text := anEscape.ReplaceAllString(b.String(), "x")
	if !plainURL.MatchString(text) || strings.Contains(text, "//") || strings.Contains(text, "/.") {
		return false
	}
	seen := map[string]bool{}
	_, query, _ := strings.Cut(text, "?")
	for _, m := range aPair.FindAllStringSubmatch("?"+query, -1) {
		if seen[m[1]] {
			return false
		}
		seen[m[1]] = true
	}
	return true
}

// step writes one step. name is what its answer is called.
func (w *class) step(s plan.Step, name string, indent int) []string {
	title := plan.Visible(s.Title)
	if s.Left != "" {
		return w.comment(title+" is left out: "+s.Left+".", indent)
	}
	switch s.Role {
	case plan.SetUp:
		title = "Set-up: " + title
	case plan.CleanUp:
		title = "Clean-up: " + title
	}
	out := w.comment(title, indent)
	if seen := s.Wait.Comment(); seen != "" {
		out = append(out, w.comment(seen, indent)...)
	}
	switch {
	case s.Role == plan.CleanUp:
		return append(out, w.statement(w.lambda(w.use("cleanUp"), w.request(s)), indent)...)
	case s.Role == plan.SetUp && s.Once:
		return append(out, w.once(s, name, indent)...)
	}
	return append(out, w.sent(s, name, indent)...)
}

// once writes a set-up that is needed but once.
func (w *class) once(s plan.Step, name string, indent int) []string {
	pad, key := strings.Repeat(" ", indent), w.literal(w.shared[s.Seq])
	w.use("once")
	if w.kotlin {
		out := append([]string{pad + "once(" + key + ") {"}, w.sent(s, name, indent+2)...)
		return append(out, pad+"}")
	}
	out := []string{pad + "once(", pad + "    " + key + ",", pad + "    () -> {"}
	out = append(out, w.sent(s, name, indent+6)...)
	return append(out, pad+"    });")
}

// sent writes the request, what is kept of its answer, and what is asserted of it.
func (w *class) sent(s plan.Step, name string, indent int) []string {
	var guard []string
	if s.Role == plan.SetUp && len(s.Given) > 0 {
		var names []doc
		for _, given := range s.Given {
			names = append(names, w.text(given))
		}
		guard = w.statement(w.call(w.use("requireGiven"), names...), indent)
	}
	switch s.Ending {
	case plan.Hangs:
		return append(guard, w.statement(w.lambda(w.use("hangs"), w.request(s)), indent)...)
	case plan.BreaksOff:
		return append(guard, w.statement(w.lambda(w.use("breaksOff"), w.request(s)), indent)...)
	}
	s = w.common.Fold(s)
	c := &checkWriter{class: w, step: s, res: name, indent: indent}
	c.statements(s.Statements())
	if !c.reads {
		return slices.Concat(guard, w.statement(w.answered(s), indent), c.out)
	}
	w.use("Response")
	return slices.Concat(guard, w.statement(w.assign(name, w.answered(s)), indent), c.out)
}

// methodName makes a name of the words of a test's, which is no word of either language and none of the runtime's.
func methodName(words string) string {
	name := plan.Camel(words)
	if name == "" || '0' <= name[0] && name[0] <= '9' {
		name = "test" + name
	}
	name = strings.ToLower(name[:1]) + name[1:]
	if slices.Contains(taken(), name) {
		name += "Test"
	}
	return name
}

// taken lists words of the two languages, functions that tests call, and methods that every object has.
func taken() []string {
	return strings.Fields(`abstract as assert boolean break byte case catch char class const continue default do double else
		enum extends false final finally float for fun goto if implements import in instanceof int interface is long native
		new null object package private protected public return short static strictfp super switch synchronized this throw
		throws transient true try typealias typeof val var void volatile when while yield record sealed permits
		mocks mocksHang needsFlaketap services hangs breaksOff within
		answer checkCommon except given target method chunked await says once cleanUp begin requireGiven take find gone bound
		secret text host inPath inQuery inJson asJson fromBase64 equalTo oneOf wait notify notifyAll getClass hashCode
		toString clone finalize equals res`)
}
