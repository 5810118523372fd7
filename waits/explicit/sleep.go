package explicit

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/waits/read"
)

// instead begins a comment that stands in the place of a sleep. What was written there stands behind it, so that the
// file can be patched anew.
const instead = "flaketap: in the place of "

// sleeps notes the sleeps of the text that its waits make needless: each will be a comment. A wait has to stand before
// the next statement.
func (p *patching) sleeps() {
	starts := lineStarts(p.text)
	unwritten := slices.DeleteFunc(slices.Clone(p.Left), func(l Left) bool { return l.Reason == errItself.Error() })
	for _, w := range read.Parse(p.name, []byte(p.text)).Waits {
		if w.Kind != read.Sleep {
			continue
		}
		line := p.text[starts[w.From-1]:endOfLine(p.text, starts[w.From-1])]
		at := starts[w.From-1] + len(line) - len(strings.TrimLeft(line, " \t"))
		err, end := p.needless(w, at), p.blockEnd(at)
		behind := func(l Left) bool { return w.From < l.Line && l.Line <= end }
		if err == nil && slices.ContainsFunc(unwritten, behind) {
			err = errBehind
		}
		if err != nil {
			p.Left = append(p.Left, Left{w.From, "sleep of " + w.Time.String(), err.Error()})
			continue
		}
		p.gone, p.Gone = append(p.gone, at), p.Gone+1
	}
}

// needless says why a sleep that begins at a place of the text has to stay.
func (p *patching) needless(w read.Wait, at int) error {
	end := endOfLine(p.text, at)
	if w.From != w.Line || !isCall(p.text[at:end], p.lang.comment()) || !p.lang.alone(at) {
		return errAlone
	}
	next := p.nextStatement(end)
	if len(p.inserts[next]) == 0 || p.indent(next) != p.indent(at) {
		return errNext
	}
	line := 1 + strings.Count(p.text[:next], "\n")
	for _, wait := range p.model.Waits() {
		if comesThrough(wait.Command, p.name, line) && (!wait.Covers || wait.Varies) {
			return errMore
		}
	}
	return nil
}

// blockEnd is the last line of the block that a place of the text stands in.
func (p *patching) blockEnd(at int) int {
	indent := len(p.indent(at))
	end := 1 + strings.Count(p.text[:at], "\n")
	for line := range strings.Lines(p.text[endOfLine(p.text, at):]) {
		bare := strings.TrimLeft(line, " \t\r\n")
		if bare != "" && len(line)-len(bare) < indent {
			break
		}
		end++
	}
	return end
}

// nextStatement is where the text goes on behind a place, with something that is no comment.
func (p *patching) nextStatement(at int) int {
	for at < len(p.text) {
		end := endOfLine(p.text, at)
		bare := strings.TrimSpace(p.text[at:end])
		if bare != "" && !strings.HasPrefix(bare, strings.TrimSpace(p.lang.comment())) {
			return at + strings.Index(p.text[at:end], bare)
		}
		at = end
	}
	return at
}

// indent is by what the line of a place is indented.
func (p *patching) indent(at int) string {
	begin := strings.LastIndexByte(p.text[:at], '\n') + 1
	return p.text[begin:at]
}

// isCall reports whether a line is one call, and nothing else but a comment: await driver.sleep(500);
func isCall(line, comment string) bool {
	line = strings.TrimSpace(line)
	line = strings.TrimPrefix(strings.TrimPrefix(line, "await "), "new ")
	open := strings.IndexByte(line, '(')
	if open < 1 || strings.ContainsAny(line[:open], " \t=;{}'\"`/#") {
		return false
	}
	depth := 0
	for i := open; i < len(line); i++ {
		switch c := line[i]; {
		case strings.ContainsRune("'\"`\\/{", rune(c)): // texts may hold brackets, and blocks more than a sleep
			return false
		case c == '(':
			depth++
		case c == ')':
			depth--
		}
		if depth == 0 {
			rest := strings.TrimSpace(strings.TrimPrefix(line[i+1:], ";"))
			return rest == "" || strings.HasPrefix(rest, strings.TrimSpace(comment))
		}
	}
	return false
}

// restored is the line that a comment stands in the place of; ok is false of any other.
func restored(line string) (was string, ok bool) {
	bare := strings.TrimLeft(line, " \t")
	for _, comment := range []string{"// ", "# "} {
		if statement, ok := strings.CutPrefix(bare, comment+instead); ok {
			return line[:len(line)-len(bare)] + statement, true
		}
	}
	return "", false
}
