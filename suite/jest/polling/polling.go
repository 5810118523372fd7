package polling

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/handset"
	"github.com/flaketap/flaketap/suite/js"
	"github.com/flaketap/flaketap/suite/js/prettier"
	"github.com/flaketap/flaketap/suite/script"
)

// Site is where a test sends a read: in a statement of its own body.
type Site struct {
	Script *script.Script
	Test   *script.Test
	Tokens []js.Token     // of the file
	Body   []js.Statement // of the test
	Call   *script.Call
	Client Client
	// Given are the tokens of what the statement waits for, where that gives something made of the answer, as its body,
	// and not the answer; Param is what conditions call that, and Own how they call what they can ask it for.
	Given js.Block
	Param string
	Sent  js.Block // the tokens of what sends the read and gives its answer, where that is known
	Own   func(x expr.Expr) (string, bool)
	// Answers reports whether a name stands for the answer, behind the statement; Imported whether it is that of a
	// library.
	Answers, Imported func(name string) bool
	Layout            prettier.Layout
	Spelled           func(text string) string // with the quotes and the brackets of the file
	Width             int
}

// names are those that the function may have, in the order in which they are tried.
func (s Site) names() []string {
	if s.Given.To > 0 {
		return []string{"pollFor", "pollForBody"}
	}
	return []string{"poll", "pollUntilReady"}
}

// Write returns the edits. There are none where the statement is of another form than is understood.
func (s Site) Write(w script.Wait) []script.Edit {
	at := slices.IndexFunc(s.Body, func(st js.Statement) bool { return s.Tokens[st.First].Start == s.Call.At.Start })
	ready, failed, said := s.conditions(w)
	if at < 0 || !said || !s.Script.BeginsLine(s.Call.At) {
		return nil
	}
	st := s.Body[at]
	from, end := s.Given.From, s.Given.To
	if end == 0 {
		if from, end = s.Sent.From, s.Sent.To; end == 0 {
			from, end = s.operand(st)
		}
	}
	if from <= st.First || end > st.Last || !s.always(st, from, end) {
		return nil
	}
	text, eol := s.Script.Text, s.Script.EOL()
	read := text[s.Tokens[from].Start:s.Tokens[end-1].End]
	if strings.ContainsAny(read, "\r\n") {
		return nil
	}
	if slices.ContainsFunc(s.Tokens[from:end], func(t js.Token) bool { return t.Is("await") }) {
		read = "async () => " + read
	} else {
		read = "() => " + read
	}
	name, helper := s.helper(w)
	if name == "" {
		return nil
	}
	margin, remark := eol+s.Call.At.Indent, s.Script.Comment(w.Comment)+eol+s.Call.At.Indent
	call := func(before string) string {
		return remark + strings.Join(s.lines(before+"await "+name+"(", read, ready, failed, w), margin)
	}
	edits := append(helper, s.sleeps(at)...)
	if start := s.Tokens[from-1].Start; s.assigns(st, from, end) || from-1 == st.First {
		now := call(text[s.Call.At.Start:start])
		return append(edits, script.Edit{Start: s.Call.At.Start, End: s.Tokens[end-1].End, Text: now})
	}
	answer := s.free("answer", 1+slices.Index(s.Test.Calls, s.Call))
	first, last := s.Tokens[from-1].Start, s.Tokens[end-1].End
	if !s.Tokens[from-1].Is("await") { // one of those that Promise.all waits for
		first = s.Tokens[from].Start
	} else if s.braced(from-1, end) {
		first, last = s.Tokens[from-2].Start, s.Tokens[end].End
	}
	ahead := call("const "+answer+" = ") + s.Layout.End + margin // another read of the statement may be waited for too
	return append(edits, script.Edit{Start: s.Call.At.Start, End: s.Call.At.Start, Text: ahead},
		script.Edit{Start: first, End: last, Text: answer})
}

// free is a name that the file has not, with a number from one on: by steps that keep the calls of a test apart.
func (s Site) free(name string, n int) string {
	for strings.Contains(s.Script.Text, fmt.Sprint(name, n)) {
		n += len(s.Test.Calls)
	}
	return fmt.Sprint(name, n)
}

// braced reports whether tokens stand in brackets that are not those of a call: what has a name needs none.
func (s Site) braced(from, end int) bool {
	if from < 2 || end >= len(s.Tokens) || !s.Tokens[from-1].Is("(") || !s.Tokens[end].Is(")") {
		return false
	}
	before := s.Tokens[from-2]
	return before.Kind != js.Word && !before.Is(")") && !before.Is("]")
}

// conditions writes what is waited for, and the bad ends; false where there are no words for that. Of what is made of
// an answer, the status and bad ends are left out that it does not tell.
func (s Site) conditions(w script.Wait) (ready, failed []string, said bool) {
	ready, said = s.condition(w.Ready)
	if body, more := w.OfBody(); !said && s.Given.To > 0 && more {
		ready, said = s.condition(body.Ready)
	}
	failed, saidToo := s.condition(w.Failed)
	return ready, failed, said && (saidToo || s.Given.To > 0)
}

// condition writes a condition about status and body, in pieces that && joins, or || does; none for nil.
func (s Site) condition(x expr.Expr) ([]string, bool) {
	out, ok := js.Ready(x, "status")
	if s.Given.To > 0 {
		out, ok = js.ReadyOf(x, s.Own)
	}
	for i, text := range out {
		out[i] = s.Spelled(text)
	}
	return out, ok
}

// operand are the tokens of what the one await of a statement waits for, if that is a call which sends the read.
func (s Site) operand(st js.Statement) (from, end int) {
	from = -1
	for i := st.First; i < st.Last; i++ {
		if s.Tokens[i].Is("await") {
			if from >= 0 {
				return -1, 0
			}
			from = i + 1
		}
	}
	if from < 0 || from >= st.Last || s.Tokens[from].Kind != js.Word {
		return -1, 0
	}
	last := -1 // where the arguments of the last call begin
	for end = from + 1; end < st.Last; {
		switch {
		case s.Tokens[end].Is("."):
			end += 2
			continue
		case s.Tokens[end].Is("("):
			last = end
			if end = s.closed(end, st.Last); end < 0 {
				return -1, 0
			}
			continue
		}
		break
	}
	if last < 0 || s.closed(last, st.Last) != end || !s.sends(st, from, last, end) {
		return -1, 0
	}
	return from, end
}

// closed is the index behind the bracket that closes the one at an index; -1 where none does.
func (s Site) closed(at, last int) int {
	depth := 0
	for i := at; i < last; i++ {
		switch s.Script.Text[s.Tokens[i].Start:s.Tokens[i].End] {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}

// sends reports whether the call sends the read and gives its answer: it is one of the library, or what it gives has a
// name that stands for the answer.
func (s Site) sends(st js.Statement, from, last, end int) bool {
	if s.assigns(st, from, end) && s.Tokens[st.First+1].Kind == js.Word && s.Answers(s.Tokens[st.First+1].Text) {
		return true
	}
	first := s.Tokens[from]
	if first.Is("fetch") {
		return last == from+1
	}
	verb := s.Tokens[last-1]
	return s.Imported(first.Text) && (verb.Is("get") || verb.Is("head")) && s.Tokens[last-2].Is(".")
}

// assigns reports whether a statement gives what is waited for to names, and does no more.
func (s Site) assigns(st js.Statement, from, end int) bool {
	behind := end == st.Last || end == st.Last-1 && s.Tokens[end].Is(";")
	declares := s.Tokens[st.First].Is("const") || s.Tokens[st.First].Is("let") || s.Tokens[st.First].Is("var")
	return declares && behind && s.Tokens[from-2].Is("=") && len(st.Names)+len(st.Parts) > 0
}

// always reports whether a statement waits for the read whenever it runs: nothing before that decides about it, and no
// function of the statement waits for it.
func (s Site) always(st js.Statement, from, end int) bool {
	return s.assigns(st, from, end) || !slices.ContainsFunc(s.Tokens[st.First:from], func(t js.Token) bool {
		return slices.ContainsFunc([]string{"?", "?.", "&&", "||", "??", "&&=", "||=", "??=", "=>", "function"}, t.Is)
	})
}

// lines lay the call out as prettier does: its object hugged, if the line that it begins on has room for that.
func (s Site) lines(before, read string, ready, failed []string, w script.Wait) []string {
	unit, width := s.Layout.Unit, s.Width-utf8.RuneCountInString(s.Layout.Indent)
	margin := ""
	lines := []string{before + read + ", {"}
	if utf8.RuneCountInString(lines[0]) > width {
		margin = unit
		lines = []string{before, unit + read + ",", unit + "{"}
	}
	given := "status, body"
	if s.Given.To > 0 {
		given = s.Param
	}
	for i, x := range [][]string{ready, failed} {
		if len(x) == 0 {
			continue
		}
		head := margin + unit + [...]string{"ready", "failed"}[i] + ": (" + given + ") =>"
		flat := head + " " + strings.Join(x, " ") + ","
		switch deep := margin + unit + unit + strings.Join(x, " ") + ","; {
		case utf8.RuneCountInString(flat) <= width:
			lines = append(lines, flat)
		case utf8.RuneCountInString(deep) <= width:
			lines = append(lines, head, deep)
		default:
			lines = append(lines, head, margin+unit+unit+strings.Join(x, "\n"+margin+unit+unit)+",")
		}
	}
	if len(w.Early) > 0 && s.Given.To > 0 {
		lines = append(lines, margin+unit+"early: "+early(w.Early)+",")
	}
	lines = append(lines, margin+unit+"seconds: "+script.Seconds(w.Atmost)+",", margin+unit+"every: "+script.Seconds(w.Every)+",")
	if margin != "" {
		lines = append(lines, unit+"},", ")")
	} else {
		lines = append(lines, "})")
	}
	return strings.Split(strings.Join(lines, "\n"), "\n")
}

// early lists the statuses that an answer has which is not ready.
func early(statuses []int) string {
	return strings.ReplaceAll(fmt.Sprint(statuses), " ", ", ")
}

// sleeps are the edits that take the sleeps away that stood between a write and the read.
func (s Site) sleeps(at int) []script.Edit {
	var out []script.Edit
	for i := at - 1; i >= 0; i-- {
		st := s.Body[i]
		at := script.Span{Start: s.Tokens[st.First].Start, End: s.Tokens[st.Last-1].End}
		if !s.Test.SleepsBetween(at.Start, s.Call) {
			break
		}
		if edit, ok := s.Script.WithoutLine(at); ok && s.isSleep(st) {
			out = append(out, edit)
		}
	}
	return out
}

// isSleep reports whether a statement waits for a time and does no more.
func (s Site) isSleep(st js.Statement) bool {
	source := ""
	for _, t := range s.Tokens[st.First:st.Last] {
		source += s.Script.Text[t.Start:t.End]
	}
	source = strings.TrimSuffix(source, ";")
	for _, begin := range []string{"awaitsleep(", "awaitdelay(", "awaitwait(", "awaitsetTimeout("} {
		if strings.HasPrefix(source, begin) && strings.Count(source, "(") == 1 && strings.HasSuffix(source, ")") {
			return true
		}
	}
	resolve := strings.NewReplacer("(r)", "(resolve)", "(res)", "(resolve)", "r=>", "(resolve)=>", "resolve=>", "(resolve)=>").Replace
	given, promises := strings.CutPrefix(source, "awaitnewPromise(")
	return promises && strings.Contains(given, "=>setTimeout(") && strings.Count(given, "(") <= 2+strings.Count(resolve(given), "(resolve)") &&
		!strings.Contains(given, "{")
}

// helper returns the name of the function, and the edits that define it where the file does not; "" where its names are
// taken.
func (s Site) helper(w script.Wait) (string, []script.Edit) {
	names := s.names()
	if i := slices.IndexFunc(names, func(name string) bool { return s.defined(name, w) }); i >= 0 {
		return names[i], nil
	}
	i := slices.IndexFunc(names, func(name string) bool {
		return !slices.ContainsFunc(s.Tokens, func(t js.Token) bool { return t.Is(name) })
	})
	if i < 0 {
		return "", nil
	}
	return names[i], s.define(names[i])
}

// defined reports whether the file has the function by a name, as it is written here, and that knows what it is told.
func (s Site) defined(name string, w script.Wait) bool {
	for i, t := range s.Tokens {
		if i < 2 || !t.Is(name) || !s.Tokens[i-1].Is("function") || !s.Tokens[i-2].Is("async") {
			continue
		}
		at := strings.LastIndexByte(s.Script.Text[:s.Tokens[i-2].Start], '\n')
		remark := s.Script.Comment(script.PollRemark)
		ours := at >= 0 && strings.HasSuffix(strings.TrimRight(s.Script.Text[:at], "\r"), remark)
		head := s.Tokens[i:min(i+maxHead, len(s.Tokens))]
		return ours && (s.Given.To == 0 || len(w.Early) == 0 ||
			slices.ContainsFunc(head, func(t js.Token) bool { return t.Is("early") }))
	}
	return false
}

// maxHead bounds the tokens of the head of the function.
const maxHead = 64

// define are the edits that define the function.
func (s Site) define(name string) []script.Edit {
	text := s.Script.Text
	body := s.Script.Comment(script.PollRemark)
	first := s.Test.Head.Start
	for _, t := range s.Script.Tests {
		first = min(first, t.Head.Start)
	}
	at := handset.Above(text, js.TopLevel(text, s.Tokens, first), "//")
	written := body + "\n" + s.Spelled(s.function(name))
	if s.Layout.End == "" {
		written = strings.ReplaceAll(written, ";\n", "\n")
	}
	for i := 4; i > 0; i-- {
		written = strings.ReplaceAll(written, "\n"+strings.Repeat("  ", i), "\n"+strings.Repeat("\x00", i))
	}
	written = strings.ReplaceAll(written, "\x00", s.Layout.Unit) + "\n"
	eol := s.Script.EOL()
	if !script.BlankBefore(text, at) && at > 0 {
		written = "\n" + written
	}
	return []script.Edit{{Start: at, End: at, Text: strings.ReplaceAll(written, "\n", eol), Once: true}}
}

// function is the text of the function.
func (s Site) function(name string) string {
	if s.Given.To > 0 {
		head := "async function NAME(get, { ready, failed, early = [], seconds, every }) {\n"
		if len(head)-len("NAME\n")+len(name) > s.Width {
			head = "async function NAME(\n  get,\n  { ready, failed, early = [], seconds, every },\n) {\n"
		}
		text := functionOf
		if s.Client.Typed {
			head, text = typedOf, strings.Replace(text, "error } =", "error }: { body?: any; error?: any } =", 1)
		}
		return strings.Replace(head, "NAME", name, 1) + text
	}
	send := "send()"
	if s.Client.Throws {
		send += ".catch((error) => error.response)"
	}
	head := "async function NAME(send, { ready, failed, seconds, every }) {\n"
	if s.Client.Typed {
		head = strings.NewReplacer("TYPE", s.Client.Type, "PROMISE", s.Client.Promise).Replace(typed)
	}
	return strings.Replace(head, "NAME", name, 1) + strings.NewReplacer("SEND", send, "BODY", s.Client.Body).Replace(function)
}

// typed is its head in TypeScript.
const typed = `async function NAME<T extends TYPE>(
  send: () => PROMISE<T>,
  until: {
    ready: (status: number, body: any) => boolean;
    failed?: (status: number, body: any) => boolean;
    seconds: number;
    every: number;
  },
): Promise<T> {
  const { ready, failed, seconds, every } = until;
`

const function = `  const end = Date.now() + 1000 * seconds;
  for (;;) {
    const answer = await SEND;
    const body = BODY;
    if (ready(answer.status, body)) return answer;
    const bad = failed?.(answer.status, body);
    if (bad || Date.now() >= end) {
      const why = bad ? "it came to a bad end" : "not ready in time";
      throw new Error(` + "`${why}: ${answer.status} ${JSON.stringify(body)}`" + `);
    }
    await new Promise((resolve) => setTimeout(resolve, 1000 * every));
  }
}
`

// functionOf is the function for what gives a body, and may fail where the answer is not ready, and typedOf its head in
// TypeScript. An error that tells its status, as a number, tells that of an answer on the way, or is one that nobody
// waits for.
const functionOf = `  const end = Date.now() + 1000 * seconds;
  for (;;) {
    const { body, error } = await get().then(
      (body) => ({ body }),
      (error) => ({ error }),
    );
    const status = error?.response?.status ?? error?.status;
    if (Number.isInteger(status) && !early.includes(status)) throw error;
    if (!error && ready(body)) return body;
    const bad = !error && failed?.(body);
    if (bad || Date.now() >= end) {
      const why = bad ? "it came to a bad end" : "not ready in time";
      throw error ?? new Error(` + "`${why}: ${JSON.stringify(body)}`" + `);
    }
    await new Promise((resolve) => setTimeout(resolve, 1000 * every));
  }
}
`

const typedOf = `async function NAME<T>(
  get: () => PromiseLike<T>,
  until: {
    ready: (body: any) => boolean;
    failed?: (body: any) => boolean;
    early?: number[];
    seconds: number;
    every: number;
  },
): Promise<T> {
  const { ready, failed, early = [], seconds, every } = until;
`
