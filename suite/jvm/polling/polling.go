package polling

import (
	"fmt"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/java"
	"github.com/flaketap/flaketap/suite/script"
)

// Name is that of the function for answers of REST-assured's.
const Name = "poll"

// Site is where a test sends a read.
type Site struct {
	Script *script.Script
	Test   *script.Test
	Call   *script.Call
	End    int // where the expression ends that gives the answer, in bytes
	Kotlin bool
	// Response is how the type of answers is called, and Free a name that the file does not have.
	Response, Free string
	Unit           string // by how much what stands within something stands further in
	// Helper is where the function is written, in bytes, and Margin the indentation of what stands there; Defined is
	// that the function is there.
	Helper  int
	Margin  string
	Defined bool
	Value   *Value // nil for answers of REST-assured's
	JDK     bool   // the file has answers of java.net.http
	File    *java.File
	// Awaitility is that the suite has it: it waits, for what the function tells it to. Import imports classes.
	Awaitility bool
	Import     func(classes []string) []script.Edit
}

// Write returns the edits. There are none where the read stands in a way that is not understood.
func (s Site) Write(w script.Wait) []script.Edit {
	tokens := s.tokens(s.Test.BodyStart, s.Call.At.End)
	first := slices.IndexFunc(tokens, func(t java.Token) bool { return t.Start == s.Call.At.Start })
	from, end := s.read(tokens)
	if s.Value != nil {
		from, end = s.whole(tokens)
	}
	ready, said := s.condition(s.told(w))
	failed, saidToo := s.condition(w.Failed)
	if len(failed) == 0 {
		failed = []string{"false"}
	}
	if first < 0 || from < first || !said || len(ready) == 0 || !saidToo || !s.Script.BeginsLine(s.Call.At) ||
		!s.captures(tokens[from:end+1]) {
		return nil
	}
	text, eol, indent := s.Script.Text, s.Script.EOL(), s.Call.At.Indent
	read, ok := s.joined(tokens[from : end+1])
	before := strings.TrimRight(text[:s.Call.At.Start], " \t\r\n")
	if !ok || strings.ContainsAny(before[len(before)-1:], "=(,>") { // it is a part of a statement
		return nil
	}
	start, stop := tokens[from].Start, tokens[end].End
	given := strings.TrimRight(text[s.Call.At.Start:start], " \t\r\n")
	rest := text[stop:s.Call.At.End]
	comment := s.Script.Comment(w.Comment) + eol + indent
	c := call{Site: s, read: read, ready: ready, failed: failed, wait: w}
	var edit script.Edit
	// ktlint leaves the lines of a chain as they are, and has more to say of what it begins with; ktfmt has it the other
	// way round, and two blanks
	inPlace := !s.Kotlin || s.Unit == "  "
	switch assigns := strings.HasSuffix(given, "=") && rest == ""; {
	case s.Value != nil && !assigns:
		return nil
	case assigns:
		edit = script.Edit{Start: s.Call.At.Start, End: stop, Text: comment + c.assigned(indent, given)}
	case inPlace && strings.Contains(rest, "\n"):
		line := text[strings.LastIndexByte(text[:start], '\n')+1 : start]
		margin := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
		behind, _, _ := strings.Cut(rest, "\n")
		edit = script.Edit{Start: s.Call.At.Start, End: stop,
			Text: comment + text[s.Call.At.Start:start] + c.lines(margin+c.further(), line, behind)}
	default:
		answer := fmt.Sprintf("answer%d", 1+slices.Index(s.Test.Calls, s.Call))
		if strings.Contains(text, answer) {
			return nil
		}
		given := s.Response + " " + answer + " ="
		if s.Kotlin {
			given = "val " + answer + " ="
		}
		edit = script.Edit{Start: s.Call.At.Start, End: stop, Text: comment + c.assigned(indent, given) + s.stop() +
			eol + indent + text[s.Call.At.Start:start] + answer}
	}
	return slices.Concat(c.imported(), s.helper(), []script.Edit{edit}, s.sleeps(tokens[:first]))
}

// told is what is waited for, as far as what has a name tells that; nil where it does not.
func (s Site) told(w script.Wait) expr.Expr {
	if s.Value != nil && s.Value.Status == "" {
		return w.Body
	}
	return w.Ready
}

// Name is that of the function that waits for such a read, or that tells Awaitility what to wait for.
func (s Site) Name() string {
	switch {
	case s.Awaitility && s.Value != nil:
		return ReadyOf
	case s.Awaitility:
		return Ready
	case s.Value != nil:
		return NameOf
	}
	return Name
}

// Names are those of the functions that are written here.
func Names() []string { return []string{Name, NameOf, Ready, ReadyOf} }

// stop is what ends a statement.
func (s Site) stop() string {
	if s.Kotlin {
		return ""
	}
	return ";"
}

// tokens are those of a piece of the file.
func (s Site) tokens(start, end int) []java.Token {
	return java.Piece(s.Script.File, s.Script.Text, start, end, s.Kotlin)
}

// read are the first and the last token of the chain of calls that gives the answer; -1 where it is no such chain.
func (s Site) read(tokens []java.Token) (from, end int) {
	end = slices.IndexFunc(tokens, func(t java.Token) bool { return t.End == s.End })
	if end < 0 || !tokens[end].Is(")") {
		return -1, 0
	}
	opened := map[int]int{}
	for open, closing := range java.Matches(tokens) {
		if closing > 0 {
			opened[closing] = open
		}
	}
	for from = end; ; from -= 2 {
		if open, call := opened[from]; call && tokens[from].Is(")") {
			from = open - 1
		}
		if from < 0 || tokens[from].Kind != java.NameToken {
			return -1, 0
		}
		if from < 2 || !tokens[from-1].Is(".") {
			return from, end
		}
	}
}

// joined is the source of a chain on one line; false where that cannot be.
func (s Site) joined(tokens []java.Token) (string, bool) {
	text, out, last := s.Script.Text, "", tokens[0].Start
	for _, t := range tokens {
		gap := text[last:t.Start]
		if strings.TrimSpace(gap) != "" { // a comment
			return "", false
		}
		if strings.ContainsAny(gap, "\r\n") && (t.Is(".") || t.Is(")") || strings.HasSuffix(out, "(")) {
			gap = ""
		}
		if s.Value != nil && s.Kotlin && strings.ContainsAny(gap, "\r\n") && !flowing(out, t) {
			return "", false
		}
		if gap != "" {
			gap = " "
		}
		out += gap + text[t.Start:t.End]
		last = t.End
	}
	return out, !strings.ContainsAny(out, "\r\n")
}

// captures reports whether a lambda can speak of all that a read does: Java wants variables that are given one value.
func (s Site) captures(read []java.Token) bool {
	if s.Kotlin {
		return true
	}
	body := s.tokens(s.Test.BodyStart, s.Test.BodyEnd)
	for _, t := range read {
		given := 0
		for i := 0; i+1 < len(body) && t.Kind == java.NameToken; i++ {
			next := body[i+1].Text
			changes := next == "++" || next == "--" || i > 0 && (body[i-1].Text == "++" || body[i-1].Text == "--")
			if body[i].Text == t.Text && (strings.HasSuffix(next, "=") && next != "==" || changes || next == ";" && i > 0 &&
				body[i-1].Kind == java.NameToken && body[i-1].Text != "return") {
				given++
			}
		}
		if given > 1 {
			return false
		}
	}
	return true
}

// sleeps are the edits that take the sleeps away that stood between a write and the read.
func (s Site) sleeps(before []java.Token) []script.Edit {
	var out []script.Edit
	match := java.Matches(before)
	depth := 0
	for i := len(before) - 1; i >= 0; i-- {
		switch t := &before[i]; {
		case t.Is("}"):
			depth++
		case t.Is("{"):
			depth--
		}
		if depth != 0 || i+4 > len(before) || !before[i].Is("Thread") || !before[i+1].Is(".") || !before[i+2].Is("sleep") ||
			i > 0 && before[i-1].Is(".") || !s.Test.SleepsBetween(before[i].Start, s.Call) {
			continue
		}
		end := match[i+3]
		if !s.Kotlin && end > 0 && end+1 < len(before) && before[end+1].Is(";") {
			end++
		}
		if end <= i {
			continue
		}
		at := script.Span{Start: before[i].Start, End: before[end].End}
		if edit, ok := s.Script.WithoutLine(at); ok {
			out = append(out, edit)
		}
	}
	return out
}

// helper are the edits that define the function where the file does not.
func (s Site) helper() []script.Edit {
	if s.Defined {
		return nil
	}
	text := inJava
	if s.Kotlin {
		text = inKotlin
	}
	switch {
	case s.Awaitility:
		text = s.matcher()
	case s.Value != nil && s.Kotlin:
		text = inKotlinOf
	case s.Value != nil && s.JDK:
		text = strings.Replace(inJavaOf, "SAID", saidOfJDK, 1)
	case s.Value != nil:
		text = strings.Replace(inJavaOf, "SAID", "", 1)
	}
	if strings.Contains(s.Script.Text, pollCheckHead) { // of the other function that has such conditions
		text = strings.TrimSuffix(text, pollCheck)
	}
	text = "\n\n" + s.Script.Comment(script.PollRemark) + "\n" + strings.TrimSuffix(text, "\n")
	text = strings.ReplaceAll(text, "RESPONSE", s.Response)
	for i := 4; i > 0; i-- {
		text = strings.ReplaceAll(text, "\n"+strings.Repeat("  ", i), "\n"+strings.Repeat("\x00", i))
	}
	var lines []string
	for _, line := range strings.Split(strings.ReplaceAll(text, "\x00", s.Unit), "\n") {
		if line != "" {
			line = s.Margin + line
		}
		lines = append(lines, line)
	}
	text = strings.Join(lines, "\n")
	if s.Helper == len(s.Script.Text) {
		if strings.HasSuffix(s.Script.Text, "\n") {
			text = text[1:]
		}
		text += "\n"
	}
	text = strings.ReplaceAll(text, "\n", s.Script.EOL())
	return []script.Edit{{Start: s.Helper, End: s.Helper, Text: text, Once: true}}
}

const inJava = `private static RESPONSE poll(
    java.util.function.Supplier<RESPONSE> send,
    java.util.function.Predicate<RESPONSE> ready,
    java.util.function.Predicate<RESPONSE> failed,
    long atMost,
    long every) {
  long end = System.nanoTime() + atMost * 1_000_000;
  while (true) {
    boolean bad = false;
    AssertionError error;
    try {
      RESPONSE answer = send.get();
      try {
        if (ready.test(answer)) {
          return answer;
        }
        bad = failed.test(answer);
      } catch (RuntimeException e) {
        // it has no such body
      }
      String why = bad ? "it came to a bad end" : "not ready after " + atMost + " ms";
      error = new AssertionError(why + ": " + answer.statusCode() + " " + answer.asString());
    } catch (AssertionError e) {
      error = e; // what the read itself asserts
    }
    if (bad || System.nanoTime() - end >= 0 || Thread.currentThread().isInterrupted()) {
      throw error;
    }
    java.util.concurrent.locks.LockSupport.parkNanos(every * 1_000_000);
  }
}
`

const inKotlin = `private fun poll(
  send: () -> RESPONSE,
  ready: (RESPONSE) -> Boolean,
  failed: (RESPONSE) -> Boolean,
  atMost: Long,
  every: Long,
): RESPONSE {
  fun fits(condition: () -> Boolean) = runCatching(condition).getOrDefault(false)

  val end = System.nanoTime() + atMost * 1_000_000
  while (true) {
    var bad = false
    val error =
      try {
        val answer = send()
        if (fits { ready(answer) }) {
          return answer
        }
        bad = fits { failed(answer) }
        val why = if (bad) "it came to a bad end" else "not ready after $atMost ms"
        AssertionError("$why: ${answer.statusCode()} ${answer.asString()}")
      } catch (e: AssertionError) {
        e // what the read itself asserts
      }
    if (bad || System.nanoTime() - end >= 0) {
      throw error
    }
    Thread.sleep(every)
  }
}
`
