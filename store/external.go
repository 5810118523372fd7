package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"math"

	"go.etcd.io/bbolt"

	"github.com/flaketap/flaketap/exchange"
)

// RecordExternal adds what the API asked of another service, and gives it its Seq and Pass. It returns and fails as
// [Store.Record] does, but waits for room with [Options.Drop] too; bodies of more than 16 KiB for which there is no
// room are cut then. The caller must not change x afterwards.
func (s *Store) RecordExternal(x *exchange.External) error {
	err := checkOutcome(x.Response, x.Fault)
	if err == nil {
		err = s.recordExternal(x)
	}
	if err != nil {
		return fmt.Errorf("record external: %w", err)
	}
	return nil
}

func (s *Store) recordExternal(x *exchange.External) error {
	kept := x
	if large(&x.Request.Message, x.Response, x.Fault) {
		copied := *x
		kept = &copied
		err := s.divideAll(&kept.Request.Message, &kept.Response, &kept.Fault)
		if errors.Is(err, errDropped) {
			cutBody(&kept.Request.Message)
			if kept.Response != nil {
				cutBody(&kept.Response.Message)
			} else {
				cutBody(&kept.Fault.Seen)
			}
		} else if err != nil {
			return err
		}
	}
	err := s.putRecord(item{external: kept, size: exchangeSize(&kept.Exchange) + len(kept.Stub)})
	if kept != x { // else the queue has set them, and the writer reads them by now
		x.Seq, x.Pass = kept.Seq, kept.Pass
	}
	return err
}

// cutBody takes away what cannot be stored of a body, and says how much that is.
func cutBody(m *exchange.Message) {
	m.Cut += int64(len(m.Body))
	m.Body = nil
}

// appendExternal appends the record of an external; FORMAT.md describes it.
func appendExternal(b []byte, x *exchange.External) []byte {
	b = AppendExchange(appendBytes(b, x.Stub), &x.Exchange)
	if x.Run == 0 && !x.Real {
		return b // as in version 5
	}
	b = binary.AppendUvarint(b, uint64(x.Run))
	if x.Real {
		return append(b, 1)
	}
	return append(b, 0)
}

// decodeExternal reads what appendExternal wrote. The external keeps parts of b.
func decodeExternal(b []byte) (*exchange.External, error) {
	d := decoder{b: b}
	x := &exchange.External{Stub: string(d.bytes())}
	x.Exchange = *d.exchange()
	if d.err == nil && len(d.b) > 0 {
		x.Run = int(d.bounded(math.MaxInt32))
		answered := d.byte()
		if x.Real = answered == 1; answered > 1 || x.Run == 0 && !x.Real {
			d.fail("nobody can have answered so")
		}
	}
	if err := d.end(); err != nil {
		return nil, fmt.Errorf("read external: %w", err)
	}
	return x, nil
}

// putExternals appends blocks of externals.
func putExternals(tx *bbolt.Tx, blocks []block) error {
	b := tx.Bucket(bucketExternals)
	b.FillPercent = 1
	for _, block := range blocks {
		if err := b.Put(seqKey(block.first), block.value); err != nil {
			return err
		}
	}
	return nil
}

// lastExternal returns the position of the last external, 0 where there is none.
func lastExternal(tx *bbolt.Tx) uint64 {
	b := tx.Bucket(bucketExternals)
	if b == nil {
		return 0 // of an older version
	}
	k, v := b.Cursor().Last()
	if len(k) != 8 {
		return 0
	}
	return binary.BigEndian.Uint64(k) + uint64(max(blockCount(v), 1)) - 1
}

// Externals returns what the API asked of other services, in the order in which the answers ended. After an error of a
// block, or of a record, it goes on with the next one.
func (s *Store) Externals() iter.Seq2[*exchange.External, error] {
	return func(yield func(*exchange.External, error) bool) {
		next := uint64(1)
		for {
			first, records, err := s.externalBlock(next)
			if err == nil && first == 0 {
				return
			}
			if err != nil {
				if !yield(nil, fmt.Errorf("read externals of %s: %w", s.path, err)) || first == 0 {
					return
				}
			}
			for i, raw := range records {
				x, err := s.external(bytes.Clone(raw), first+uint64(i))
				if err != nil {
					err = fmt.Errorf("read external %d of %s: %w", first+uint64(i), s.path, err)
				}
				if !yield(x, err) {
					return
				}
			}
			next = first + 1
		}
	}
}

// externalBlock returns the first block at a position or behind it; first is 0 where there is none, or none that can
// be found.
func (s *Store) externalBlock(from uint64) (first uint64, records [][]byte, err error) {
	err = s.view(func(tx *bbolt.Tx) error {
		b := tx.Bucket(bucketExternals)
		if b == nil {
			return nil
		}
		k, v := b.Cursor().Seek(seqKey(from))
		switch {
		case k == nil:
			return nil
		case len(k) != 8 || binary.BigEndian.Uint64(k) < from:
			return fmt.Errorf("%w: keys of externals", ErrDamaged)
		}
		first = binary.BigEndian.Uint64(k)
		records, err = unpack(s.decoder, first, v)
		return err
	})
	return first, records, err
}

// external reads one record, with its bodies.
func (s *Store) external(raw []byte, seq uint64) (*exchange.External, error) {
	x, err := decodeExternal(raw)
	if err != nil {
		return nil, err
	}
	if x.Seq != seq {
		return nil, fmt.Errorf("%w: it says that it is external %d", ErrDamaged, x.Seq)
	}
	if err := errors.Join(s.join(&x.Request.Message), s.joinOutcome(x.Response, x.Fault)); err != nil {
		return nil, err
	}
	return x, nil
}
