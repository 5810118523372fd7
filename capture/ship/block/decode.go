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

// Get returns the piece of a name, as it was given to keep.
type Get func(name string) ([]byte, error)

// Decode reads what [Codec.Encode] wrote. What is large in bodies it does not get: [Codec.Piece] does, so that a block
// takes no more memory than its content has.
func (c *Codec) Decode(data []byte, get Get) (*Block, error) {
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
	switch kind {
	case kindWhole:
	case kindPieces:
		var err error
		if content, err = c.together(content, get); err != nil {
			return nil, err
		}
	default:
		return nil, fmt.Errorf("%w: unknown kind %d", ErrDamaged, kind)
	}
	content, err := c.unpack(content, contentMost)
	if err != nil {
		return nil, err
	}
	return read(content)
}

// Piece returns a piece of a body of a block, which is as large as the part says.
func (c *Codec) Piece(b *Block, part exchange.Part, get Get) ([]byte, error) {
	piece, err := c.piece(b.Pieces[part.Number-1], get)
	if err == nil && len(piece) != part.Size {
		err = fmt.Errorf("%w: size of a body", ErrDamaged)
	}
	return piece, err
}

// unpack undoes zstd, up to so many bytes, which the frame has to announce.
func (c *Codec) unpack(data []byte, most int) ([]byte, error) {
	var h zstd.Header
	if err := h.Decode(data); err != nil || !h.HasFCS || h.FrameContentSize > uint64(most) {
		return nil, fmt.Errorf("%w: it is not packed, or too large", ErrDamaged)
	}
	out, err := c.dec.DecodeAll(data, make([]byte, 0, h.FrameContentSize))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if len(out) > most { // of another frame behind it
		return nil, fmt.Errorf("%w: it is too large", ErrDamaged)
	}
	return out, nil
}

// together joins the pieces of a block that was too large for a message.
func (c *Codec) together(names []byte, get Get) ([]byte, error) {
	if len(names)%sha256.Size != 0 || len(names)/sha256.Size > piecesMost {
		return nil, fmt.Errorf("%w: list of its pieces", ErrDamaged)
	}
	var out []byte
	for ; len(names) > 0; names = names[sha256.Size:] {
		piece, err := c.piece(hex.EncodeToString(names[:sha256.Size]), get)
		if err != nil {
			return nil, err
		}
		out = append(out, piece...)
	}
	return out, nil
}

// piece returns what has a name, and no other content.
func (c *Codec) piece(name string, get Get) ([]byte, error) {
	packed, err := get(name)
	if err != nil {
		return nil, fmt.Errorf("get a piece: %w", err)
	}
	piece, err := c.unpack(packed, exchange.PieceSize)
	if err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(piece); hex.EncodeToString(sum[:]) != name {
		return nil, fmt.Errorf("%w: a piece has another content than its name says", ErrDamaged)
	}
	return piece, nil
}

// read reads the content of a block.
func read(content []byte) (*Block, error) {
	head, rest, ok := cut(content)
	var h header
	if !ok {
		return nil, fmt.Errorf("%w: it ends early", ErrDamaged)
	}
	if len(head) > headerMost {
		return nil, fmt.Errorf("%w: its header is too large", ErrDamaged)
	}
	b := &Block{}
	err := json.Unmarshal(head, &h)
	if err == nil {
		err = json.Unmarshal(h.Pass, &b.Pass)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if h.Through < h.After || h.Count < 0 || h.Count > MaxRecords || uint64(h.Count) > h.Through-h.After {
		return nil, fmt.Errorf("%w: its positions contradict each other", ErrDamaged)
	}
	b.Machine, b.After, b.Through, b.State, b.Pieces = h.Machine, h.After, h.Through, digest(h.Pass), h.Pieces
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
		if err := listed(e, len(h.Pieces)); err != nil {
			return nil, err
		}
		if e.Seq <= last || e.Seq > h.Through || e.Pass != b.Pass.Number {
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

// listed holds that the parts of bodies mean pieces of the list.
func listed(e *exchange.Exchange, pieces int) error {
	for _, m := range Messages(e) {
		for _, part := range m.Parts {
			if part.Number == 0 || part.Number > uint64(pieces) || told(e, m) {
				return fmt.Errorf("%w: exchange %d names a piece that it does not list", ErrDamaged, e.Seq)
			}
		}
	}
	return nil
}
