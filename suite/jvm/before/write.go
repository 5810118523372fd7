package before

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/handset"
	"github.com/flaketap/flaketap/suite/jvm/meaning"
	"github.com/flaketap/flaketap/suite/script"
)

// lineWidth is how long a line may be, as google-java-format and ktfmt have it.
const lineWidth = 100

// Grafter writes set-ups as the test writes its own requests: at its head, with its client and base URL.
func (f *File) Grafter() *script.Grafter {
	return &script.Grafter{SetUp: f.setUp, Bind: f.bind, Refused: f.refused, Sender: f.sender, Shares: f.shares,
		Able: f.able, Place: f.place, Fresh: f.fresh, Everywhere: f.everywhere, Outside: f.outside,
		FreshOutside: f.freshOutside}
}

// refused says why a test is given no set-up.
func (f *File) refused(s *script.Script, t *script.Test) string {
	if f.Many[t] {
		return "the test runs with several values"
	}
	if t.BodyStart <= t.Head.Start || s.Text[t.BodyStart-1] != '\n' || !f.braced(t) {
		return "its statements do not stand on lines of their own"
	}
	return ""
}

// sender is why no request can be sent at the head of a test.
func (f *File) sender(_ *script.Script, t *script.Test) string {
	_, why := f.modelOf(t)
	return why
}

// braced reports whether the statements of a test stand between lines that braces end and begin.
func (f *File) braced(t *script.Test) bool {
	text := f.Script.Text
	before, after := strings.TrimRight(text[:t.BodyStart], " \t\r\n"), strings.TrimLeft(text[t.BodyEnd:], " \t\r\n")
	rest, _, _ := strings.Cut(text[t.BodyEnd:], "\n")
	return strings.HasPrefix(after, "}") && strings.TrimSpace(rest) == "" &&
		(strings.HasSuffix(before, "{") || strings.HasPrefix(lastLine(before), "//"))
}

func lastLine(text string) string {
	return strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:])
}

// shares is a field that methods give a value and this test reads, or gives: by it tests may hand each other what they
// made.
func (f *File) shares(_ *script.Script, t *script.Test) (reads, gives string) {
	m := f.Methods[t]
	all := f.tokens(t.BodyStart, t.BodyEnd)
	for i, token := range all {
		if _, field := f.Module.FieldOf(m.Class, token.Text); !field || !f.Module.Set[token.Text] {
			continue
		}
		named := &reads
		if i+1 < len(all) && all[i+1].Text == "=" {
			named = &gives
		}
		*named = cmp.Or(*named, "the field "+token.Text)
	}
	return reads, gives
}

// able reports whether a request can be written as the test sends its own.
func (f *File) able(_ *script.Script, t *script.Test, x script.SetUpRequest) bool {
	m, why := f.modelOf(t)
	if why != "" {
		return false
	}
	if m.jdk != nil {
		_, ok := f.jdkRequest(m, t, x)
		return ok
	}
	_, ok := f.request(m, x)
	return ok
}

// setUp sends what goes before in the words of the test. What cleans up stands in a finally around the rest.
func (f *File) setUp(s *script.Script, t *script.Test, before, clean []script.SetUpRequest) (open, end []string) {
	m, _ := f.modelOf(t)
	width := lineWidth - len(t.Indent)
	for _, x := range before {
		if x.Comment != "" {
			open = append(open, s.Comment(x.Comment))
		}
		open = append(open, f.sends(t, m, f.declares(m, x.Var), x, width)...)
		if x.Status != 0 {
			open = append(open, s.Comment(script.SetUpMustSucceed), f.hasStatus(m, x.Var, x.Status)+f.end())
		}
		for _, k := range x.Captures {
			declares := "String " + k.Name + " = "
			if f.Kotlin {
				declares = "val " + k.Name + " = "
			}
			open = append(open, declares+f.taken(t, m, x.Var, k)+f.end())
		}
	}
	if len(clean) == 0 {
		return append(open, ""), nil
	}
	if clean[0].Comment != "" {
		open = append(open, s.Comment(clean[0].Comment))
	}
	open, end = append(open, "", "try {"), []string{"} finally {"}
	unit := f.Unit(t)
	for _, x := range clean {
		for _, line := range f.sends(t, m, "", x, width-len(unit)) {
			end = append(end, unit+line)
		}
	}
	return open, append(end, "}")
}

// sends writes the statement that sends a request.
func (f *File) sends(t *script.Test, m model, declares string, x script.SetUpRequest, width int) []string {
	further := f.Unit(t)
	if !f.Kotlin {
		further += further
	}
	if m.jdk != nil {
		links, _ := f.jdkRequest(m, t, x)
		return f.jdkLines(declares, m, links, further, width)
	}
	links, _ := f.request(m, x)
	return f.laid(declares, links, f.end(), further, width)
}

// end is what ends a statement.
func (f *File) end() string {
	if f.Kotlin {
		return ""
	}
	return ";"
}

// Unit is by how much the statements of a test are further in than its head.
func (f *File) Unit(t *script.Test) string {
	if unit, ok := strings.CutPrefix(t.Indent, t.Head.Indent); ok && unit != "" {
		return unit
	}
	return "    "
}

// declares writes the beginning of the declaration of an answer.
func (f *File) declares(m model, name string) string {
	switch {
	case f.Kotlin:
		return "val " + name + " = "
	case m.jdk != nil && f.Module.Has("java.net.http.HttpResponse"):
		return "HttpResponse<String> " + name + " = "
	case m.jdk != nil:
		return "java.net.http.HttpResponse<String> " + name + " = "
	case f.Module.Has("io.restassured.response.Response"):
		return "Response " + name + " = "
	}
	return "io.restassured.response.Response " + name + " = "
}

// request writes a request as the model is sent, as the links of a chain; false where it cannot be.
func (f *File) request(m model, x script.SetUpRequest) ([]string, bool) {
	url, ok := f.url(m, x.Target)
	links, kind := slices.Clone(m.first), ""
	for _, h := range x.Headers {
		value := f.text(h.Value)
		_, specified := m.call.Header(strings.ToLower(h.Name), 0)
		switch name := strings.ToLower(h.Name); {
		case name == "content-type" && len(h.Value) == 1:
			kind, _, _ = strings.Cut(h.Value[0].Text, ";")
			if h.Value[0].Text == "application/json" && f.Module.Has("io.restassured.http.ContentType") {
				value = "ContentType.JSON"
			}
			if !strings.HasPrefix(kind, "application/x-www-form-urlencoded") {
				links = append(links, ".contentType("+value+")")
			}
		case name == "accept":
			links = append(links, ".accept("+value+")")
		case m.given && specified: // which the specification may have said already
			ok = false
		default:
			links = append(links, ".header("+literal.Java(h.Name)+", "+value+")")
		}
	}
	switch body, isJSON := handset.JSON(x.Body); {
	case len(x.Body) == 0:
	case isJSON && !strings.HasPrefix(kind, "application/x-www-form-urlencoded"):
		links = append(links, ".body("+f.text(compact(body))+")")
	default:
		form, isForm := handset.Form(x.Body)
		ok = ok && isForm && strings.HasPrefix(kind, "application/x-www-form-urlencoded")
		for i, item := range form.Items {
			links = append(links, ".formParam("+f.text([]script.TextPart{{Text: form.Keys[i]}})+", "+f.text(item.Parts)+")")
		}
	}
	if m.when != "" {
		links = append(links, m.when)
	}
	method := strings.ToLower(x.Method)
	if name, known := script.ClientMethod(method); known && name == x.Method {
		return append(links, "."+method+"("+url+")"), ok
	}
	return append(links, ".request("+literal.Java(x.Method)+", "+url+")"), ok
}

// url writes a URL with another path. REST-assured writes what is no plain path anew.
func (f *File) url(m model, target []script.TextPart) (string, bool) {
	target, ok := handset.BelowMount(target, m.mount)
	if !ok {
		return "", false
	}
	for _, p := range target {
		if strings.ContainsAny(p.Text, `%+{}\"$`) {
			return "", false
		}
	}
	if joined, sum := strings.CutSuffix(m.before, " + "); sum && m.base == "" && len(target) == 1 && target[0].Text == "" {
		return joined + m.after, true
	}
	text := f.text(target)
	if m.before+m.base+m.after == "" && text == `""` {
		return "", true
	}
	if strings.HasPrefix(text, `"`) {
		text = `"` + m.base + text[1:]
	} else if text = `"` + m.base + `" + ` + text; m.base == "" {
		text = strings.TrimPrefix(text, `"" + `)
	}
	return m.before + text + m.after, true
}

// taken writes the text that is taken from an answer.
func (f *File) taken(t *script.Test, m model, name string, k script.Capture) string {
	if m.jdk != nil {
		text, _ := f.jdkTaken(t, name, k)
		return text
	}
	s := k.Place.Segments()
	switch {
	case k.Place == exchange.PlaceBody:
		return name + ".asString().trim()"
	case s[0] == "header" && len(s) == 4 && s[2] == "path":
		return f.segment(name+".header("+literal.Java(s[1])+")", s[3])
	case s[0] == "header":
		return name + ".header(" + literal.Java(s[1]) + ")"
	}
	path := f.text([]script.TextPart{{Text: meaning.PathTo(k.Steps)}})
	if f.Kotlin {
		return name + ".path<Any>(" + path + ").toString()"
	}
	return name + ".path(" + path + ").toString()"
}

// segment writes one of the path of a URL.
func (f *File) segment(url, nth string) string {
	n, _ := strconv.Atoi(nth)
	way := ".getPath()"
	if f.Kotlin {
		way = ".path"
	}
	return fmt.Sprintf(`java.net.URI.create(%s)%s.split("/")[%d]`, url, way, n+1)
}

// start is where a test's statements begin, with the comments above the first.
func (f *File) start(t *script.Test) int {
	return handset.Above(f.Script.Text, t.BodyStart, "//")
}

// place puts a set-up at the head of a test. What stands between it and its clean-up goes further in.
func (f *File) place(s *script.Script, t *script.Test, open, end, _ []string) []script.Edit {
	eol := script.LineEnd(s.Lines[0])
	lines := func(all []string) string {
		text := ""
		for _, line := range all {
			if line != "" {
				line = t.Indent + line
			}
			text += line + eol
		}
		return text
	}
	start := f.start(t)
	at := start - len(eol) // behind what stands before, since it stays where it is
	edits := []script.Edit{{Start: at, End: at, Text: eol + strings.TrimSuffix(lines(open), eol)}}
	if len(end) == 0 {
		return edits
	}
	last := t.BodyEnd + strings.IndexByte(s.Text[t.BodyEnd:], '\n') + 1
	from, unit := start, f.Unit(t)
	for _, x := range f.tokens(t.BodyStart, t.BodyEnd) {
		if n := strings.IndexByte(s.Text[x.Start:x.End], '\n'); n >= 0 {
			edits = append(edits, script.Edit{Start: from, End: x.Start + n + 1, Indent: unit})
			from = x.End
		}
	}
	return append(edits, script.Edit{Start: from, End: last, Indent: unit},
		script.Edit{Start: last, End: last, Text: lines(end)})
}
