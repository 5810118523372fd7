package formats

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/klauspost/compress/gzip"

	"github.com/flaketap/flaketap/exchange"
)

// The bounds that all formats share.
const (
	maxEntry = 128 << 20 // bytes of one exchange in a file
	maxNames = 1 << 20   // names remembered of one file: connections, test cases
	readSize = 256 << 10 // bytes read at once
)

// Options says how a file is read. The zero value is ready to use.
type Options struct {
	File   string // the name of the file, for messages
	Target string // what to call the target; "" means [exchange.DefaultTarget]
	// SequenceHeaders are the request headers that name the sequence an exchange belongs to, the first that is there
	// counts; nil means those that Schemathesis and RESTler send.
	SequenceHeaders []string
	// Note is told of every entry that is not taken in as it stands; nil where nobody wants to know.
	Note func(Note)

	maxEntry int // for tests: takes the place of the constant
}

func (o Options) filled() Options {
	o.Target = cmp.Or(o.Target, exchange.DefaultTarget)
	o.maxEntry = cmp.Or(o.maxEntry, maxEntry)
	if o.SequenceHeaders == nil {
		o.SequenceHeaders = []string{"X-Schemathesis-TestCaseId", "X-Restler-Sequence-Id"}
	}
	if o.Note == nil {
		o.Note = func(Note) {}
	}
	return o
}

// sequence returns the mark that the request itself bears, "" for none.
func (o Options) sequence(r *exchange.Request) string {
	for _, name := range o.SequenceHeaders {
		if v := r.Header.Get(name); v != "" {
			return v
		}
	}
	return ""
}

// Read reads the exchanges of a file of format f, as it is or compressed with gzip, in the order of the file. It holds
// one exchange at a time.
//
// The iteration ends after the first error, which names the file and the place in it: line, entry or offset in the
// unpacked file, whatever the format has. A file that was cut off gives every whole exchange before that.
func Read(f Format, r io.Reader, o Options) iter.Seq2[*exchange.Exchange, error] {
	var read func(*source) error
	switch f {
	case HAR:
		return ReadHAR(r, HAROptions{File: o.File, Target: o.Target, SequenceHeaders: o.SequenceHeaders, Note: o.Note})
	case Cassette:
		read = readCassette
	case NDJSON:
		read = readNDJSON
	case Flows:
		read = readFlows
	case RESTler:
		read = readRESTler
	case Burp:
		read = readBurp
	case Charles:
		read = readCharles
	default:
		read = func(*source) error { return errors.New("unknown format") }
	}
	return func(yield func(*exchange.Exchange, error) bool) {
		s := &source{Options: o.filled(), yield: yield}
		err := s.open(r)
		if err == nil {
			err = read(s)
		}
		if err == nil || errors.Is(err, errStop) {
			return
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = fmt.Errorf("the file is cut short: %w", io.ErrUnexpectedEOF)
		}
		name := o.File
		if name != "" {
			name += ": "
		}
		yield(nil, fmt.Errorf("read %s %s%s: %w", f, name, strings.TrimSpace(s.where()), err))
	}
}

// source is a file that is being read.
type source struct {
	Options
	in    *bufio.Reader
	at    func() string // the place that the reader has come to, for messages
	yield func(*exchange.Exchange, error) bool
}

// open takes compression and byte order mark off.
func (s *source) open(r io.Reader) error {
	in := bufio.NewReaderSize(r, readSize)
	if magic, _ := in.Peek(2); bytes.Equal(magic, gzipMagic) {
		z, err := gzip.NewReader(in)
		if err != nil {
			return err
		}
		in = bufio.NewReaderSize(z, readSize)
	}
	if mark, _ := in.Peek(3); bytes.Equal(mark, bom) {
		_, _ = in.Discard(3) // what was peeked at is there
	}
	s.in = in
	return nil
}

func (s *source) where() string {
	if s.at == nil {
		return "at byte 0"
	}
	return s.at()
}

// send hands an exchange over, its target and sequence filled in.
func (s *source) send(e *exchange.Exchange) error {
	e.Target = s.Target
	if e.Sequence == "" {
		e.Sequence = s.sequence(&e.Request)
	}
	if !s.yield(e, nil) {
		return errStop
	}
	return nil
}

// lines reads a file by lines.
type lines struct {
	file   *bufio.Reader
	limit  int
	long   []byte // a line that is longer than the buffer of file
	number int    // of the line that was read last, from 1
	ragged bool   // that line had no end: the file ends in it
}

// next returns the next line without its end; it is valid until the next call. The error at the end is io.EOF.
func (l *lines) next() ([]byte, error) {
	l.long = l.long[:0]
	for {
		part, err := l.file.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			if l.long = append(l.long, part...); len(l.long) > l.limit {
				l.number++
				return nil, fmt.Errorf("longer than %d bytes", l.limit)
			}
			continue
		}
		if err != nil && (err != io.EOF || len(part) == 0 && len(l.long) == 0) {
			return nil, err
		}
		l.number++
		l.ragged = err == io.EOF
		if len(l.long) > 0 {
			part = append(l.long, part...)
			l.long = part[:0]
		}
		if len(part) > l.limit {
			return nil, fmt.Errorf("longer than %d bytes", l.limit)
		}
		part = bytes.TrimSuffix(part, []byte{'\n'})
		return bytes.TrimSuffix(part, []byte{'\r'}), nil
	}
}

func (l *lines) at() string { return fmt.Sprintf("line %d", l.number) }
