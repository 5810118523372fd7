package block

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/crc32"

	"github.com/klauspost/compress/zstd"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/store"
)

// Decode reads what [Codec.Encode] wrote. get returns the piece of a name, as it was given to keep.
func (c *Codec) Decode(data []byte, get func(name string) ([]byte, error)) (*Block, error) {
	if len(data) < headSize || data[0] == 0 {
		return nil, fmt.Errorf("%w: it ends early", ErrDamaged)
	}
	if data[0] > Format {
		return nil, fmt.Errorf("block has format %d, this flaketap reads up to %d: %w", data[0], Format, ErrNewer)
	}
	kind, content := data[1], data[headSize:]
	if crc32.Checksum(content, castagnoli) != binary.BigEndian.Uint32(data[2:]) {
		return nil, fmt.Errorf("%w: checksum", ErrDamaged)
	}
	found := pieces{codec: c, get: get}
	switch kind {
	case kindWhole:
	case kindPieces:
		var err error
		if content, err = found.together(content); err != nil {
			return nil, err
		}
	default:
		return nil, fmt.Errorf("%w: unknown kind %d", ErrDamaged, kind)
	}
	content, err := c.unpack(content, contentMost)
	if err != nil {
		return nil, err
	}
	return found.read(content)
}

// unpack undoes zstd, up to so many bytes. A frame that does not say its size is bounded by the decoder.
func (c *Codec) unpack(data []byte, most int) ([]byte, error) {
	var h zstd.Header
	if err := h.Decode(data); err != nil || h.HasFCS && h.FrameContentSize > uint64(most) {
		return nil, fmt.Errorf("%w: it is not packed, or too large", ErrDamaged)
	}
	out, err := c.dec.DecodeAll(data, nil)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if len(out) > most {
		return nil, fmt.Errorf("%w: it is too large", ErrDamaged)
	}
	return out, nil
}

// pieces looks for what travels apart.
type pieces struct {
	codec *Codec
	get   func(name string) ([]byte, error)
	names []string
}

// together joins the pieces of a block that was too large for a message.
func (p *pieces) together(names []byte) ([]byte, error) {
	if len(names)%sha256.Size != 0 || len(names)/sha256.Size > piecesMost {
		return nil, fmt.Errorf("%w: list of its pieces", ErrDamaged)
	}
	var out []byte
	for ; len(names) > 0; names = names[sha256.Size:] {
		piece, err := p.piece(hex.EncodeToString(names[:sha256.Size]))
		if err != nil {
			return nil, err
		}
		out = append(out, piece...)
	}
	return out, nil
}

// piece returns what has a name, and no other content.
func (p *pieces) piece(name string) ([]byte, error) {
	packed, err := p.get(name)
	if err != nil {
		return nil, fmt.Errorf("get a piece: %w", err)
	}
	piece, err := p.codec.unpack(packed, exchange.PieceSize)
	if err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(piece); hex.EncodeToString(sum[:]) != name {
		return nil, fmt.Errorf("%w: a piece has another content than its name says", ErrDamaged)
	}
	return piece, nil
}

// read reads the content of a block.
func (p *pieces) read(content []byte) (*Block, error) {
	head, rest, ok := cut(content)
	var h header
	if !ok {
		return nil, fmt.Errorf("%w: it ends early", ErrDamaged)
	}
	if err := json.Unmarshal(head, &h); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if h.Through < h.After || h.Count < 0 || h.Count > MaxRecords || uint64(h.Count) > h.Through-h.After {
		return nil, fmt.Errorf("%w: its positions contradict each other", ErrDamaged)
	}
	p.names = h.Pieces
	b := &Block{Machine: h.Machine, Pass: h.Pass, After: h.After, Through: h.Through}
	size := 0
	for last := h.After; len(b.Exchanges) < h.Count; {
		if size >= MaxBytes {
			return nil, fmt.Errorf("%w: it holds more than a block may", ErrDamaged)
		}
		var raw []byte
		if raw, rest, ok = cut(rest); !ok {
			return nil, fmt.Errorf("%w: it ends early", ErrDamaged)
		}
		e, err := store.DecodeExchange(bytes.Clone(raw))
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
		}
		if err := p.join(e); err != nil { // which may be that a piece cannot be had for now
			return nil, fmt.Errorf("exchange %d: %w", e.Seq, err)
		}
		if e.Seq <= last || e.Seq > h.Through || e.Pass != h.Pass.Number {
			return nil, fmt.Errorf("%w: exchange %d is out of its place", ErrDamaged, e.Seq)
		}
		last, size = e.Seq, size+Size(e)
		b.Exchanges = append(b.Exchanges, e)
	}
	if len(rest) > 0 {
		return nil, fmt.Errorf("%w: it goes on behind its end", ErrDamaged)
	}
	return b, nil
}

// cut cuts what has its length before it off the beginning of b.
func cut(b []byte) (value, rest []byte, ok bool) {
	n, size := binary.Uvarint(b)
	if size <= 0 || n > uint64(len(b)-size) {
		return nil, nil, false
	}
	return b[size : size+int(n)], b[size+int(n):], true
}

// join puts the bodies of an exchange together again.
func (p *pieces) join(e *exchange.Exchange) error {
	for _, m := range messages(e) {
		if err := p.body(m); err != nil {
			return err
		}
	}
	return nil
}

func (p *pieces) body(m *exchange.Message) error {
	if len(m.Parts) == 0 {
		return nil
	}
	var body []byte
	for _, part := range m.Parts {
		if part.Number == 0 || part.Number > uint64(len(p.names)) {
			return fmt.Errorf("%w: it names a piece that it does not list", ErrDamaged)
		}
		piece, err := p.piece(p.names[part.Number-1])
		if err != nil {
			return err
		}
		if len(piece) != part.Size || len(body)+len(piece) > store.MaxBody {
			return fmt.Errorf("%w: size of a body", ErrDamaged)
		}
		body = append(body, piece...)
	}
	m.Body, m.Parts = append(body, m.Body...), nil
	return nil
}
