package wire

import (
	"bytes"
	"errors"
)

// late is what is known of a head beyond the part that is kept of it: just enough to tell where the message ends.
type late struct {
	line   []byte // the beginning of the present line
	size   int64  // of the present line, as far as it has come
	framed bool   // the line before is part of a field that tells where the message ends
	fields []byte // all such lines
	lost   bool   // one of them has no room
}

// maxLate bounds a line that tells where a message ends, and all of them together, where they come late.
const maxLate = 64 << 10

var (
	errLargeHead  = errors.New("the head is too large to be kept in full")
	errBlankLines = errors.New("blank lines without end")
	errLate       = errors.New("what tells where the message ends is too large to be read")
)

// feedLate takes a part of a line, up to its end where ended is set, that the head has no room for.
func (f *Framer) feedLate(part []byte, ended bool) {
	if f.late == nil {
		whole := bytes.LastIndexByte(f.head, '\n') + 1
		begin := f.head[whole:]
		f.late = &late{line: bytes.Clone(begin[:min(len(begin), maxLate)]), size: int64(len(begin))}
		lines := trimBlankLines(f.head[:whole])
		for line := range bytes.Lines(lines[bytes.IndexByte(lines, '\n')+1:]) { // the start line is no field
			f.late.keep(line, int64(len(line)))
		}
		f.head = append(f.head, part[:maxHead-len(f.head)]...)
		if !f.Begun() {
			f.malformed(errBlankLines)
			f.state = Opaque
			return
		}
	}
	l := f.late
	l.line = append(l.line, part[:min(len(part), maxLate-len(l.line))]...)
	l.size += int64(len(part))
	if ended {
		f.endLateLine()
	}
}

// endLateLine looks at a line that has just ended, as endHeadLine does.
func (f *Framer) endLateLine() {
	l := f.late
	line, size := l.line, l.size
	l.line, l.size = l.line[:0], 0
	switch {
	case !f.begun:
		f.begun = true
	case size == int64(len(line)) && len(bytes.TrimRight(line, "\r\n")) == 0 && len(line) <= len("\r\n"):
		f.endLateHead()
	default:
		l.keep(line, size)
	}
}

// keep keeps a line of the fields that tell where the message ends. size is how long the line was: one that is longer
// than what there is of it is cut.
func (l *late) keep(line []byte, size int64) {
	l.framed = tellsEnd(line) || l.framed && isOWS(line[0])
	switch {
	case !l.framed:
	case size > int64(len(line)) || len(l.fields)+len(line) > maxLate:
		l.lost = true
	default:
		l.fields = append(l.fields, line...)
	}
}

// tellsEnd reports whether a line is the first of a field that tells where a message ends.
func tellsEnd(line []byte) bool {
	name, _, _ := bytes.Cut(line[:min(len(line), 64)], []byte{':'})
	field := Field{Name: string(name)}
	return field.named("Content-Length") || field.named("Transfer-Encoding")
}

// endLateHead ends a head that is not kept in full. Its parsed view is that of what is kept, as those will have it who
// read it again; where the message ends is told by all of it.
func (f *Framer) endLateHead() {
	f.parsed = ParseHead(f.head)
	f.err = errLargeHead
	if f.late.lost {
		f.err = errLate
		f.state = Opaque
		return
	}
	fields, _ := parseFields(string(f.late.fields), "")
	f.frame(fields)
}
