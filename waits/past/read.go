package past

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/waits/read"
)

// Format is the --format of git log that [Read] reads, with --patch and one line of context: a NUL, which no line of a
// difference begins with, the hash, and the first line of the message.
const Format = "%x00%H%x09%s"

// The bounds on what is read.
const (
	maxLine    = 4 << 10 // of which more is cut off, in bytes
	maxSubject = 200     // in bytes
	maxTimed   = 1_000   // of a line with a time, in bytes
	maxBlock   = 2_000   // lines of one hunk that are looked at
	maxEdits   = 400_000 // of all
)

// Read reads what git log printed, the newest commit first. Commits that touch no file in a language that is read are
// left out. What is no such text is passed over.
func Read(r io.Reader) ([]Commit, error) {
	p := &reader{}
	lines := bufio.NewReaderSize(r, maxLine)
	for {
		line, more, err := lines.ReadLine()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("read history: %w", err)
		}
		if len(line) > 0 {
			p.line(string(line))
		}
		for more && err == nil { // the rest of a long line
			_, more, err = lines.ReadLine()
		}
	}
	p.endCommit()
	return p.commits, nil
}

// reader takes lines in.
type reader struct {
	commits  []Commit
	now      Commit
	file     string
	was      string
	language read.Language
	hunk     []sided // what is read of a hunk
	old, new int     // the next lines
	oldLeft  int     // how many are still to come
	newLeft  int
	edits    int
}

// sided is a line of a hunk.
type sided struct {
	sign     byte // ' ', '-' or '+'
	text     string
	old, new int
}

func (p *reader) line(s string) {
	if p.oldLeft > 0 || p.newLeft > 0 {
		p.inHunk(s)
		return
	}
	switch {
	case s[0] == 0:
		p.endCommit()
		hash, subject, _ := strings.Cut(s[1:], "\t")
		p.now = Commit{Hash: cut(hash, 64), Subject: strings.ToValidUTF8(cut(subject, maxSubject), "?")}
		p.file, p.was = "", ""
	case strings.HasPrefix(s, "diff --git "):
		p.endHunk()
		p.file, p.was, p.language = "", "", ""
	case strings.HasPrefix(s, "rename from "):
		p.was = unquoted(strings.TrimPrefix(s, "rename from "))
	case strings.HasPrefix(s, "rename to "):
		p.file = unquoted(strings.TrimPrefix(s, "rename to "))
		if read.LanguageOf(p.file) != "" && p.edits < maxEdits {
			p.edits++ // a file that was only renamed has no lines
			p.now.Edits = append(p.now.Edits, Edit{File: p.file, Was: p.was})
		}
	case strings.HasPrefix(s, "+++ "):
		if name := strings.TrimRight(unquoted(strings.TrimPrefix(s, "+++ ")), "\t"); strings.HasPrefix(name, "b/") {
			p.file = name[2:]
			p.language = read.LanguageOf(p.file)
		}
	case strings.HasPrefix(s, "@@ "):
		p.endHunk()
		p.begin(s)
	}
}

// begin reads the head of a hunk: @@ -1,2 +3,4 @@.
func (p *reader) begin(s string) {
	fields := strings.Fields(s)
	if len(fields) < 4 || p.file == "" {
		return
	}
	var ok1, ok2 bool
	p.old, p.oldLeft, ok1 = ranged(fields[1], "-")
	p.new, p.newLeft, ok2 = ranged(fields[2], "+")
	if !ok1 || !ok2 {
		p.oldLeft, p.newLeft = 0, 0
	}
}

// ranged reads -3,4 or -3, which is one line.
func ranged(s, sign string) (at, n int, ok bool) {
	s, signed := strings.CutPrefix(s, sign)
	first, count, more := strings.Cut(s, ",")
	at, err1 := strconv.Atoi(first)
	n = 1
	var err2 error
	if more {
		n, err2 = strconv.Atoi(count)
	}
	return at, n, signed && err1 == nil && err2 == nil && at >= 0 && n >= 0 && at < 1<<30 && n < 1<<30
}

func (p *reader) inHunk(s string) {
	l := sided{sign: s[0], text: s[1:], old: p.old, new: p.new}
	switch s[0] {
	case ' ':
		p.old, p.new, p.oldLeft, p.newLeft = p.old+1, p.new+1, p.oldLeft-1, p.newLeft-1
	case '-':
		p.old, p.oldLeft = p.old+1, p.oldLeft-1
	case '+':
		p.new, p.newLeft = p.new+1, p.newLeft-1
	case '\\': // no newline at the end of the file
		return
	default: // it broke off
		p.oldLeft, p.newLeft = 0, 0
		p.endHunk()
		return
	}
	if p.language != "" && len(p.hunk) < maxBlock {
		p.hunk = append(p.hunk, l)
	}
	if p.oldLeft <= 0 && p.newLeft <= 0 {
		p.oldLeft, p.newLeft = 0, 0
	}
}

// endHunk takes the blocks of a hunk in.
func (p *reader) endHunk() {
	for i := 0; i < len(p.hunk); i++ {
		if p.hunk[i].sign == ' ' {
			continue
		}
		end := i
		for end < len(p.hunk) && p.hunk[end].sign != ' ' {
			end++
		}
		p.block(i, end)
		i = end
	}
	p.hunk = nil
}

// block takes in the lines of a hunk that lie between two that stayed.
func (p *reader) block(from, to int) {
	if p.edits++; p.edits > maxEdits {
		return
	}
	e := Edit{File: p.file, Was: p.was, Old: p.hunk[from].old, New: p.hunk[from].new}
	var removed, added []timed
	for i := from; i < to; i++ {
		l := p.hunk[i]
		t := timed{sided: l, at: i}
		if l.sign == '-' {
			e.OldN++
		} else {
			e.NewN++
		}
		if t.key = keyOf(p.language, l.text); t.key == "" {
			continue
		}
		if l.sign == '-' {
			removed = append(removed, t)
		} else {
			added = append(added, t)
		}
	}
	e.Changes = p.pair(removed, added)
	p.now.Edits = append(p.now.Edits, e)
}

// timed is a line with a time.
type timed struct {
	sided
	at  int    // in the hunk
	key string // what it says but for times
}

// keyOf is what a line with a time says but for times; "" for a line without.
func keyOf(l read.Language, line string) string {
	if len(line) > maxTimed || !read.MayWait(l, line) {
		return ""
	}
	found, words := read.Fragment(l, line, nil)
	key := ""
	for _, w := range found {
		key += string(w.Kind) + " " + w.Form + ";"
	}
	if c, ok := read.ConstantIn(l, line); len(found) == 0 && ok {
		key = c.Name + "="
	}
	if key == "" {
		return ""
	}
	return key + strings.Join(words, " ")
}

// pair puts lines beside those in whose place they came: those that say the same but for times, else the only one.
func (p *reader) pair(removed, added []timed) []Change {
	var out []Change
	byKey := map[string][]int{}
	for i, t := range removed {
		byKey[t.key] = append(byKey[t.key], i)
	}
	gone := make([]bool, len(removed))
	var left []timed
	for _, a := range added {
		if same := byKey[a.key]; len(same) > 0 {
			byKey[a.key] = same[1:]
			gone[same[0]] = true
			out = append(out, p.change(&removed[same[0]], &a))
		} else {
			left = append(left, a)
		}
	}
	var alone []timed
	for i, t := range removed {
		if !gone[i] {
			alone = append(alone, t)
		}
	}
	if len(left) == 1 && len(alone) == 1 {
		return append(out, p.change(&alone[0], &left[0]))
	}
	for i := range left {
		out = append(out, p.change(nil, &left[i]))
	}
	for i := range alone {
		out = append(out, p.change(&alone[i], nil))
	}
	slices.SortStableFunc(out, func(a, b Change) int { return a.Now - b.Now })
	return out
}

func (p *reader) change(old, now *timed) Change {
	var c Change
	if old != nil {
		c.Was, c.Old = old.old, old.text
		c.Above, c.Below = p.beside(old.at, -1, '+'), p.beside(old.at, 1, '+')
	}
	if now != nil {
		c.Now, c.New = now.new, now.text
		c.Above, c.Below = p.beside(now.at, -1, '-'), p.beside(now.at, 1, '-')
	}
	return c
}

// beside is the next line of a hunk before or behind one, but for those of the other side.
func (p *reader) beside(i, step int, other byte) string {
	for i += step; i >= 0 && i < len(p.hunk); i += step {
		if p.hunk[i].sign != other {
			return cut(p.hunk[i].text, maxSubject)
		}
	}
	return ""
}

func (p *reader) endCommit() {
	p.oldLeft, p.newLeft = 0, 0
	p.endHunk()
	if len(p.now.Edits) > 0 {
		p.commits = append(p.commits, p.now)
	}
	p.now = Commit{}
}

// unquoted reads a name that git put in quotes.
func unquoted(s string) string {
	if strings.HasPrefix(s, `"`) {
		if u, err := strconv.Unquote(s); err == nil {
			return u
		}
	}
	return s
}

func cut(s string, most int) string { return s[:min(len(s), most)] }
