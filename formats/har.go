package formats

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/klauspost/compress/gzip"

	"github.com/flaketap/flaketap/exchange"
)

// The bounds of what is read from a HAR.
const (
	maxHAREntry = 128 << 20 // bytes of one entry, or of anything beside the entries
	maxHARDepth = 1000      // of what stands beside the entries; encoding/json bounds the entries' own
)

// HAROptions says how a HAR is read. The zero value is ready to use.
type HAROptions struct {
	File   string // the name of the file, for messages
	Target string // what to call the target; "" means [exchange.DefaultTarget]
	// SequenceHeaders are the request headers that name the sequence an exchange belongs to, the first that is there
	// counts; nil means those that Schemathesis and RESTler send.
	SequenceHeaders []string
	// Note is told of every entry that is not taken in as it stands; nil where nobody wants to know.
	Note func(Note)

	maxEntry int // for tests: takes the place of maxHAREntry
}

func (o *HAROptions) limit() int { return cmp.Or(o.maxEntry, maxHAREntry) }

// ReadHAR reads the exchanges of an HTTP Archive 1.2, as it is or compressed with gzip, in the order of the file. It
// holds one entry at a time.
//
// An entry without an answer (status 0, or no response) gives a Fault. One without a time that can be read gives an
// exchange without a time. Pseudo-fields of HTTP/2 are dropped, and
// requests of HTTP/2 and 3 are put into the form of HTTP/1.1, with a Host, so that they can be sent again. Where the
// HAR left the content of a body out, Cut says how much is missing.
//
// The iteration ends after the first error, which names the file, the entry, counted from 1, and the byte of the
// (unpacked) file that the entry begins at. A HAR that was cut off gives every whole entry before that.
func ReadHAR(r io.Reader, o HAROptions) iter.Seq2[*exchange.Exchange, error] {
	if o.Target == "" {
		o.Target = exchange.DefaultTarget
	}
	if o.SequenceHeaders == nil {
		o.SequenceHeaders = []string{"X-Schemathesis-TestCaseId", "X-Restler-Sequence-Id"}
	}
	if o.Note == nil {
		o.Note = func(Note) {}
	}
	return func(yield func(*exchange.Exchange, error) bool) {
		h := harReader{o: o, yield: yield}
		err := h.open(r)
		if err == nil {
			err = h.archive()
		}
		if err == nil || errors.Is(err, errStop) {
			return
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = fmt.Errorf("the file is cut short: %w", io.ErrUnexpectedEOF)
		}
		yield(nil, fmt.Errorf("read har %s: %w", h.where(), err))
	}
}

// errStop is what ends the reading when the consumer wants no more.
var errStop = errors.New("stop")

// harReader is the state of reading one HAR.
type harReader struct {
	o     HAROptions
	yield func(*exchange.Exchange, error) bool

	in     *budget
	dec    *json.Decoder
	start  int64 // bytes before what dec reads: a byte order mark
	entry  int   // the entry that is read, or the last one read
	offset int64 // where it begins
	within bool  // an entry is being read
	found  bool  // log.entries was there
}

// open takes compression and byte order mark off.
func (h *harReader) open(r io.Reader) error {
	in := bufio.NewReaderSize(r, 64<<10)
	if magic, _ := in.Peek(2); bytes.Equal(magic, gzipMagic) {
		z, err := gzip.NewReader(in)
		if err != nil {
			return err
		}
		in = bufio.NewReaderSize(z, 64<<10)
	}
	if mark, _ := in.Peek(3); bytes.Equal(mark, bom) {
		h.start = 3
		if _, err := in.Discard(3); err != nil {
			return err
		}
	}
	h.in = &budget{r: in, limit: h.o.limit()}
	h.dec = json.NewDecoder(h.in)
	return nil
}

// where says how far the reading got, for messages.
func (h *harReader) where() string {
	name := h.o.File
	if name != "" {
		name += ": "
	}
	switch {
	case h.within:
		return fmt.Sprintf("%sentry %d at byte %d", name, h.entry, h.offset)
	case h.dec == nil:
		return name + "at byte 0"
	case h.entry > 0:
		return fmt.Sprintf("%safter entry %d at byte %d", name, h.entry, h.start+h.dec.InputOffset())
	}
	return fmt.Sprintf("%sat byte %d", name, h.start+h.dec.InputOffset())
}

// archive reads the whole document.
func (h *harReader) archive() error {
	h.in.refill()
	first, err := h.dec.Token()
	if err != nil {
		return fmt.Errorf("not JSON: %w", err)
	}
	if first != json.Delim('{') {
		return fmt.Errorf("not a HAR: it is %s, not an object", named(first))
	}
	err = h.members(func(key string) error {
		if key == "log" {
			return h.object(h.log)
		}
		return h.skip()
	})
	if err != nil {
		return err
	}
	if !h.found {
		return errors.New("not a HAR: it has no log.entries")
	}
	// Reading to the end checks the sum of a gzip file as well.
	h.in.refill()
	if _, err := h.dec.Token(); err == nil {
		return errors.New("text after the end of the archive")
	} else if err != io.EOF {
		return err
	}
	return nil
}

// log reads one member of the log.
func (h *harReader) log(key string) error {
	if key != "entries" {
		return h.skip()
	}
	tok, err := h.dec.Token()
	if err != nil {
		return err
	}
	if tok != json.Delim('[') {
		return fmt.Errorf("log.entries is %s, not an array", named(tok))
	}
	h.found = true
	for h.dec.More() {
		if err := h.readEntry(); err != nil {
			return err
		}
	}
	return h.end()
}

// readEntry reads one entry and hands its exchange over.
func (h *harReader) readEntry() error {
	h.entry, h.offset, h.within = h.entry+1, h.start+h.dec.InputOffset(), true
	h.in.refill()
	var entry harEntry
	if err := h.dec.Decode(&entry); err != nil {
		return err
	}
	e, err := entry.exchange(h.o)
	if errors.Is(err, errNoHTTP) {
		h.o.Note(Note{Entry: h.entry, Skipped: true, Reason: err.Error()})
		e, err = nil, nil
	}
	if err != nil {
		return err
	}
	if e != nil && e.Start.IsZero() {
		h.o.Note(Note{Entry: h.entry, Reason: untimed(entry.Started)})
	}
	h.within = false
	if e != nil && !h.yield(e, nil) {
		return errStop
	}
	return nil
}

// object reads an object and calls member with each key, before its value.
func (h *harReader) object(member func(key string) error) error {
	tok, err := h.dec.Token()
	if err != nil {
		return err
	}
	if tok != json.Delim('{') {
		return fmt.Errorf("not a HAR: the log is %s, not an object", named(tok))
	}
	return h.members(member)
}

// named says what a value is that begins with a token.
func named(tok json.Token) string {
	switch tok := tok.(type) {
	case string:
		return "a string"
	case float64:
		return "a number"
	case json.Delim:
		return map[json.Delim]string{'{': "an object", '[': "an array"}[tok]
	}
	return fmt.Sprint(tok) // null, true, false
}

// members reads an object from after its brace to its end.
func (h *harReader) members(member func(key string) error) error {
	for h.dec.More() {
		h.in.refill()
		key, err := h.dec.Token()
		if err != nil {
			return err
		}
		if err := member(key.(string)); err != nil {
			return err
		}
	}
	return h.end()
}

// end reads the closing delimiter; the decoder makes sure that it is the right one.
func (h *harReader) end() error {
	_, err := h.dec.Token()
	return err
}

// skip reads one value, whatever it is, a token at a time.
func (h *harReader) skip() error {
	for depth := 0; ; {
		h.in.refill()
		tok, err := h.dec.Token()
		if err != nil {
			return err
		}
		switch tok {
		case json.Delim('['), json.Delim('{'):
			depth++
		case json.Delim(']'), json.Delim('}'):
			depth--
		}
		if depth > maxHARDepth {
			return fmt.Errorf("nested more than %d deep", maxHARDepth)
		}
		if depth == 0 {
			return nil
		}
	}
}

// budget bounds how many bytes are read before it is filled up again: the decoder holds what it has not decoded yet.
type budget struct {
	r     io.Reader
	limit int
	left  int
}

func (b *budget) refill() { b.left = b.limit }

func (b *budget) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("more than %d bytes in one piece", b.limit)
	}
	n, err := b.r.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}
