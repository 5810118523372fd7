package store

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"

	"github.com/klauspost/compress/zstd"
	"go.etcd.io/bbolt"

	"github.com/flaketap/flaketap/exchange"
)

// inlineBytes is up to which size a body stands in the record of its exchange, among others that it resembles and so
// is compressed well with. What is larger is stored apart, in pieces: so no value in the file is large, and equal
// bodies are stored once.
const inlineBytes = 16 << 10

// Keep takes a piece of a body whose message is still under way, 1 to [exchange.PieceSize] bytes. The caller must not
// change it afterwards, and names what is returned in the Parts of the message that it hands to [Store.Record]. Keep
// waits as Record does. With [Options.Drop] it does not: where there is no room it takes nothing and returns the zero
// Part. A piece whose content is stored already takes no room again.
func (s *Store) Keep(piece []byte) (exchange.Part, error) {
	if len(piece) == 0 || len(piece) > exchange.PieceSize {
		return exchange.Part{}, fmt.Errorf("keep body: a piece of %d bytes", len(piece))
	}
	part, err := s.keep(piece)
	if errors.Is(err, errDropped) {
		return exchange.Part{}, nil
	}
	if err != nil {
		return exchange.Part{}, fmt.Errorf("keep body: %w", err)
	}
	return part, nil
}

func (s *Store) keep(piece []byte) (exchange.Part, error) {
	if s.queue == nil {
		return exchange.Part{}, ErrReadOnly
	}
	p := &newPiece{data: piece, sum: newSum(sha256.Sum256(piece))}
	err := s.queue.put(item{piece: p, size: len(piece)})
	return exchange.Part{Number: p.number, Size: len(piece)}, err
}

// large reports whether some of what belongs together is to be stored in pieces.
func large(m *exchange.Message, r *exchange.Response, f *exchange.Fault) bool {
	return len(m.Body) > inlineBytes || r != nil && len(r.Body) > inlineBytes || f != nil && len(f.Seen.Body) > inlineBytes
}

// divideAll gives the large bodies of a message and of what came back to the store in pieces. What it changes beside m
// are copies. It returns errDropped where there is no room.
func (s *Store) divideAll(m *exchange.Message, r **exchange.Response, f **exchange.Fault) error {
	if *r != nil {
		copied := **r
		*r = &copied
		return errors.Join(s.divide(m), s.divide(&copied.Message))
	}
	copied := **f
	*f = &copied
	return errors.Join(s.divide(m), s.divide(&copied.Seen))
}

func (s *Store) divide(m *exchange.Message) error {
	m.Parts = slices.Clone(m.Parts)
	for len(m.Body) > inlineBytes {
		n := min(len(m.Body), exchange.PieceSize)
		part, err := s.keep(m.Body[:n])
		if err != nil {
			return err
		}
		m.Parts, m.Body = append(m.Parts, part), m.Body[n:]
	}
	return nil
}

// join puts the body of a message together again.
func (s *Store) join(m *exchange.Message) error {
	if len(m.Parts) == 0 {
		return nil
	}
	body, err := joined(m, MaxBody, s.piece)
	if err != nil {
		return err
	}
	m.Body, m.Parts = body, nil
	return nil
}

// joinOutcome is join for what came back.
func (s *Store) joinOutcome(r *exchange.Response, f *exchange.Fault) error {
	if r != nil {
		return s.join(&r.Message)
	}
	return s.join(&f.Seen)
}

// joined returns the body of a message, limit bytes of it at most.
func joined(m *exchange.Message, limit int, piece func(uint64) ([]byte, error)) ([]byte, error) {
	body := make([]byte, 0, min(bodySize(m), limit, 64<<20)) // what a damaged record says is believed as it comes true
	for _, part := range m.Parts {
		if len(body) >= limit {
			break
		}
		data, err := piece(part.Number)
		if err == nil && len(data) != part.Size {
			err = fmt.Errorf("%w: it has %d bytes, not %d", ErrDamaged, len(data), part.Size)
		}
		if err != nil {
			return nil, fmt.Errorf("piece %d of a body: %w", part.Number, err)
		}
		body = append(body, data[:min(len(data), limit-len(body))]...)
	}
	return append(body, m.Body[:min(len(m.Body), limit-len(body))]...), nil
}

// bodySize is how many bytes of a body there are, in pieces and not.
func bodySize(m *exchange.Message) int {
	total := len(m.Body)
	for _, part := range m.Parts {
		total += part.Size
	}
	return total
}

// content returns what a piece holds.
func content(dec *zstd.Decoder, number uint64, value []byte) ([]byte, error) {
	records, err := unpack(dec, number, value)
	return bytes.Join(records, nil), err
}

// piece returns the content of a piece that is stored.
func (s *Store) piece(number uint64) (data []byte, err error) {
	err = s.view(func(tx *bbolt.Tx) error {
		var value []byte
		if b := tx.Bucket(bucketBodies); b != nil {
			value = b.Get(seqKey(number))
		}
		if value == nil {
			return fmt.Errorf("%w: it is missing", ErrDamaged)
		}
		var err error
		data, err = content(s.decoder, number, value)
		return err
	})
	return data, err
}

// pieceSum tells pieces apart by their content.
type pieceSum [16]byte

func newSum(sum [sha256.Size]byte) (s pieceSum) { copy(s[:], sum[:]); return s }

// newPiece is a piece on its way to the file.
type newPiece struct {
	number uint64
	sum    pieceSum
	data   []byte
}

// knownPieces remembers the content that was stored, or came again, last.
type knownPieces struct{ young, old map[pieceSum]uint64 }

// knownMost bounds the memory that this takes to some 4 MB. It stands for a gigabyte of bodies and more.
const knownMost = 32 << 10

func (k *knownPieces) find(sum pieceSum) (number uint64, ok bool) {
	if number, ok = k.young[sum]; !ok {
		if number, ok = k.old[sum]; ok {
			k.add(sum, number)
		}
	}
	return number, ok
}

func (k *knownPieces) add(sum pieceSum, number uint64) {
	if k.young == nil || len(k.young) >= knownMost {
		k.young, k.old = map[pieceSum]uint64{}, k.young
	}
	k.young[sum] = number
}
