package polling

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/flaketap/flaketap/suite/java"
	"github.com/flaketap/flaketap/suite/script"
)

// lineWidth is how long a line may be, as google-java-format and ktfmt have it.
const lineWidth = 100

// call is the call that sends a read again: with the read, on one line, and the conditions, in pieces.
type call struct {
	Site
	read          string
	ready, failed []string
	wait          script.Wait
}

// assigned writes a statement at an indentation, without what ends it, that gives the call a name.
func (c call) assigned(indent, given string) string {
	margin := indent + c.further()
	if c.Awaitility {
		return given + c.Script.EOL() + margin + c.awaited(margin+c.further(), c.stop())
	}
	if line := given + " " + c.flat(); fits(indent + line + c.stop()) {
		return line
	}
	return given + c.Script.EOL() + margin + c.lines(margin, margin, c.stop())
}

// lines writes the call between what else stands in its line: where that is too long, with each argument on a line of
// its own, further in than a margin.
func (c call) lines(margin, before, behind string) string {
	if c.Awaitility {
		return c.awaited(margin, behind)
	}
	if flat := c.flat(); fits(before + flat + strings.TrimRight(behind, "\r")) {
		return flat
	}
	inner, end := margin+c.further(), ")"
	sends := []string{inner + c.send(c.read) + ","}
	if !c.Kotlin && c.Value != nil {
		sends = c.reading(inner, c.read)
	}
	if c.Kotlin {
		end = "," + c.Script.EOL() + margin + ")"
	}
	out := slices.Concat([]string{c.Name() + "("}, sends, c.lambda(inner, c.ready, ","), c.lambda(inner, c.failed, ","),
		[]string{fmt.Sprintf("%s%d,", inner, c.wait.Atmost.Milliseconds())},
		[]string{fmt.Sprintf("%s%d", inner, c.wait.Every.Milliseconds()) + end})
	return strings.Join(out, c.Script.EOL())
}

// flat writes the call on one line.
func (c call) flat() string {
	return fmt.Sprintf("%s(%s, %s, %s, %d, %d)", c.Name(), c.send(c.read), c.test(c.ready), c.test(c.failed),
		c.wait.Atmost.Milliseconds(), c.wait.Every.Milliseconds())
}

// further is by how much what continues a line stands further in.
func (s Site) further() string {
	if s.Kotlin {
		return s.Unit
	}
	return s.Unit + s.Unit
}

// send writes the lambda that reads, and test one that is a condition, in pieces, on one line.
func (s Site) send(read string) string {
	if s.Kotlin {
		return "{ " + read + " }"
	}
	return "() -> " + read
}

func (s Site) test(parts []string) string {
	if s.Kotlin {
		return "{ " + strings.Join(parts, " ") + " }"
	}
	return s.Free + " -> " + strings.Join(parts, " ")
}

// fits reports whether a line is short enough.
func fits(line string) bool { return utf8.RuneCountInString(line) <= lineWidth }

// reading writes what reads as an argument: where it is too long for a line, its last call has its arguments on others.
func (s Site) reading(margin, read string) []string {
	deep := margin + s.Unit + s.Unit
	if line := margin + "() -> " + read + ","; fits(line) {
		return []string{line}
	}
	lines := []string{margin + "() ->"}
	if line := deep + read + ","; fits(line) {
		return append(lines, line)
	}
	tokens := java.Piece("", read, 0, len(read), s.Kotlin)
	match, last := java.Matches(tokens), len(tokens)-1
	open := slices.Index(match, last)
	if open < 0 || !tokens[last].Is(")") {
		return append(lines, deep+read+",")
	}
	lines = append(lines, deep+read[:tokens[open].End])
	deep += s.Unit + s.Unit
	if line := deep + read[tokens[open].End:] + ","; fits(line) {
		return append(lines, line)
	}
	begin := tokens[open].End
	for i := open + 1; i < last; i++ {
		if t := tokens[i]; t.Is(",") {
			lines = append(lines, deep+strings.TrimSpace(read[begin:t.End]))
			begin = t.End
		}
		i = max(i, match[i]) // what stands within brackets is no argument's end
	}
	return append(lines, deep+strings.TrimSpace(read[begin:])+",")
}

// lambda writes a condition, in pieces, as an argument, with what stands behind it.
func (s Site) lambda(margin string, parts []string, behind string) []string {
	if flat := margin + s.test(parts) + behind; fits(flat) {
		return []string{flat}
	}
	if s.Kotlin {
		out := []string{margin + "{"}
		for i, part := range parts {
			deep := margin + s.Unit
			if i > 0 {
				deep += s.Unit
			}
			out = append(out, deep+part)
		}
		return append(out, margin+"}"+behind)
	}
	head := margin + s.Free + " ->"
	deep := margin + s.Unit + s.Unit
	if flat := deep + strings.Join(parts, " ") + behind; fits(flat) {
		return []string{head, flat}
	}
	out := []string{head}
	for i, part := range parts {
		end := ""
		if i == len(parts)-1 {
			end = behind
		}
		out = append(out, s.folded(deep, part, end)...)
		if i == 0 {
			deep += s.Unit + s.Unit
		}
	}
	return out
}

// folded writes a comparison of Java's, "done".equals(…), with what stands behind it, on several lines where it is too
// long for one.
func (s Site) folded(margin, part, behind string) []string {
	literal, rest, ok := strings.Cut(part, ".equals(")
	if fits(margin+part+behind) || !ok {
		return []string{margin + part + behind}
	}
	chain := strings.TrimSuffix(rest, ")")
	rest += behind
	further := s.Unit + s.Unit
	out := []string{margin + literal}
	if margin += further; fits(margin + ".equals(" + rest) {
		return append(out, margin+".equals("+rest)
	}
	out = append(out, margin+".equals(")
	if margin += further; fits(margin + rest) {
		return append(out, margin+rest)
	}
	tokens := java.Piece("", chain, 0, len(chain), s.Kotlin)
	match, begin := java.Matches(tokens), 0
	for i := 0; i < len(tokens); i++ {
		if t := tokens[i]; t.Is(".") && i > 1 { // but for that of JsonParser.parseString
			out = append(out, margin+rest[begin:t.Start])
			if begin == 0 {
				margin += further
			}
			begin = t.Start
		}
		i = max(i, match[i])
	}
	return append(out, margin+rest[begin:])
}
