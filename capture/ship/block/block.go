package block

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"

	"github.com/klauspost/compress/zstd"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/store"
)

// Format is the newest form of blocks that this package reads. A block names the oldest form whose readers read it: one
// that is written by a newer flaketap, and holds nothing that they would miss, names an older form than that writes.
const Format = 1

// The bounds of a block. They hold its memory small on both sides; bodies, which may be as large as they are, travel
// apart.
const (
	MaxRecords = 256     // exchanges in it
	MaxBytes   = 2 << 20 // the Size of its exchanges from which on it takes no more of them
)

const (
	headSize     = 6         // format, kind, checksum
	inlineBytes  = 16 << 10  // of a body, in its record
	messageMost  = 512 << 10 // from which size on a block is divided: servers take messages of 1 MiB
	exchangeMost = 16 << 20  // of one exchange, beside what is large in bodies
	contentMost  = exchangeMost + 2*MaxBytes
	piecesMost   = contentMost/exchange.PieceSize + 1

	headerMost = 1 << 20 // four bodies of MaxBody have so many pieces

	kindWhole  = 0
	kindPieces = 1
)

// ErrNewer is what a block of a later format is refused with.
var ErrNewer = errors.New("written by a newer flaketap")

// ErrDamaged is what a block is refused with that is none, or contradicts itself.
var ErrDamaged = errors.New("block is damaged")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Block is exchanges of one pass of a recorder, in order: those behind the position After, up to Through. Positions
// between these that are missing cannot be read in the recorder's file. A block without exchanges says what became
// known of the pass.
type Block struct {
	Machine   string        // the name of the recorder's machine
	Pass      exchange.Pass // as it was known when the block was made, with the number that it has there
	After     uint64
	Through   uint64
	Exchanges []*exchange.Exchange

	// Of a block that was decoded: StateOf the pass as it was sent, of which a newer flaketap may know more than is
	// in Pass, and the names of the pieces that Parts of bodies mean by their numbers, from 1.
	State  string
	Pieces []string
}

// StateOf is a digest of what is known of a pass.
func StateOf(p exchange.Pass) string {
	data, _ := json.Marshal(p) // it holds nothing that could fail
	return digest(data)
}

func digest(pass []byte) string {
	sum := sha256.Sum256(pass)
	return hex.EncodeToString(sum[:6])
}

// header is what stands before the records of a block.
type header struct {
	Machine string          `json:"machine,omitempty"`
	Pass    json.RawMessage `json:"pass"`
	After   uint64          `json:"after"`
	Through uint64          `json:"through"`
	Count   int             `json:"count"`
	Pieces  []string        `json:"pieces,omitempty"`
}

// Codec encodes and decodes blocks, one at a time. Close it in the end.
type Codec struct {
	enc *zstd.Encoder
	dec *zstd.Decoder
}

// NewCodec returns a Codec.
func NewCodec() (*Codec, error) {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedDefault),
		zstd.WithSingleSegment(true)) // frames announce their sizes
	if err != nil {
		return nil, err
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(contentMost))
	if err != nil {
		return nil, err
	}
	return &Codec{enc, dec}, nil
}

// Close lets go of what a Codec holds.
func (c *Codec) Close() {
	c.enc.Close()
	c.dec.Close()
}

// Size is how many bytes an exchange has: its messages, and what stands beside them.
func Size(e *exchange.Exchange) int {
	n, _ := sizes(e)
	return n
}

// Fits reports whether an exchange can travel: what it holds beside large bodies, which have no bound here, is no more
// than a block may have. All that a recorder records fits.
func Fits(e *exchange.Exchange) bool {
	n, apart := sizes(e)
	return n-apart <= exchangeMost
}

// sizes returns how many bytes an exchange has, and how many of these travel apart.
func sizes(e *exchange.Exchange) (all, apart int) {
	all = len(e.Sequence) + len(e.Target) + len(e.Addr)
	if e.Response != nil {
		all += len(e.Response.Interim)
	}
	if e.Fault != nil {
		all += len(e.Fault.Text)
	}
	for _, m := range Messages(e) {
		body := len(m.Body)
		for _, part := range m.Parts {
			body += part.Size
		}
		all += len(m.Head) + body + len(m.Trailer) + len(m.Tunnel) + markBytes*len(m.Marks)
		if !told(e, m) {
			apart += max(0, body-inlineBytes)
		}
	}
	return all, apart
}

// told reports whether a message is flaketap's own answer to a fault, whose body is never apart.
func told(e *exchange.Exchange, m *exchange.Message) bool {
	return e.Fault != nil && m == &e.Fault.Told
}

// markBytes is what a mark takes at most.
const markBytes = 2 * binary.MaxVarintLen64

// Messages returns the messages of an exchange.
func Messages(e *exchange.Exchange) []*exchange.Message {
	all := []*exchange.Message{&e.Request.Message}
	if e.Response != nil {
		all = append(all, &e.Response.Message)
	}
	if e.Fault != nil {
		all = append(all, &e.Fault.Seen, &e.Fault.Told)
	}
	return all
}

// Encode returns a block as it travels. Before it returns, keep has been given each piece that the block names, by
// its name; a piece may come more than once. The exchanges stay as they are.
func (c *Codec) Encode(b *Block, keep func(name string, piece []byte) error) ([]byte, error) {
	pass, err := json.Marshal(b.Pass)
	if err != nil {
		return nil, err
	}
	h := header{Machine: b.Machine, Pass: pass, After: b.After, Through: b.Through, Count: len(b.Exchanges)}
	cut := divider{codec: c, keep: keep, known: map[string]uint64{}}
	var records, record []byte
	for _, e := range b.Exchanges {
		divided, err := cut.exchange(e)
		if err != nil {
			return nil, fmt.Errorf("divide exchange %d: %w", e.Seq, err)
		}
		record = store.AppendExchange(record[:0], divided)
		records = append(binary.AppendUvarint(records, uint64(len(record))), record...)
	}
	h.Pieces = cut.names
	head, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	content := append(binary.AppendUvarint(nil, uint64(len(head))), head...)
	content = c.enc.EncodeAll(append(content, records...), nil)
	if len(content) <= messageMost {
		return sealed(kindWhole, content), nil
	}
	apart := divider{codec: c, keep: keep, known: map[string]uint64{}}
	var names []byte
	for len(content) > 0 {
		piece := content[:min(len(content), exchange.PieceSize)]
		name := sha256.Sum256(piece)
		if _, err := apart.piece(piece); err != nil {
			return nil, err
		}
		names, content = append(names, name[:]...), content[len(piece):]
	}
	return sealed(kindPieces, names), nil
}

func sealed(kind byte, content []byte) []byte {
	out := binary.BigEndian.AppendUint32([]byte{Format, kind}, crc32.Checksum(content, castagnoli))
	return append(out, content...)
}

// divider takes what is large out of exchanges.
type divider struct {
	codec *Codec
	keep  func(name string, piece []byte) error
	names []string
	known map[string]uint64 // the numbers of names
}

// exchange returns an exchange whose large bodies are kept in pieces.
func (d *divider) exchange(e *exchange.Exchange) (*exchange.Exchange, error) {
	out := *e
	if e.Response != nil {
		r := *e.Response
		out.Response = &r
	}
	if e.Fault != nil {
		f := *e.Fault
		out.Fault = &f
	}
	for _, m := range Messages(&out) {
		if !told(&out, m) {
			if err := d.message(m); err != nil {
				return nil, err
			}
		}
	}
	return &out, nil
}

func (d *divider) message(m *exchange.Message) error {
	if len(m.Parts) > 0 {
		return errors.New("a body is not there as a whole")
	}
	for len(m.Body) > inlineBytes {
		piece := m.Body[:min(len(m.Body), exchange.PieceSize)]
		number, err := d.piece(piece)
		if err != nil {
			return err
		}
		m.Parts = append(m.Parts, exchange.Part{Number: number, Size: len(piece)})
		m.Body = m.Body[len(piece):]
	}
	return nil
}

// piece keeps a piece, and returns its number.
func (d *divider) piece(piece []byte) (uint64, error) {
	sum := sha256.Sum256(piece)
	name := hex.EncodeToString(sum[:])
	if number, ok := d.known[name]; ok {
		return number, nil
	}
	if err := d.keep(name, d.codec.enc.EncodeAll(piece, nil)); err != nil {
		return 0, fmt.Errorf("keep a piece: %w", err)
	}
	d.names = append(d.names, name)
	d.known[name] = uint64(len(d.names))
	return d.known[name], nil
}
