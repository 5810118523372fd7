package store

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io/fs"
	"iter"

	"go.etcd.io/bbolt"

	"github.com/flaketap/flaketap/exchange"
)

// view runs f in a read transaction of its own. Transactions are kept short, and never last while a caller does
// something: one that stays open would keep the writer from enlarging the file, and a caller that reads and writes in
// turn would wait for itself.
func (s *Store) view(f func(*bbolt.Tx) error) error {
	return s.guard(func(safe func()) error {
		return s.db.View(func(tx *bbolt.Tx) error {
			safe() // the database ends a read transaction whatever happens in it
			return f(tx)
		})
	})
}

// each goes through a bucket. Keys of the wrong length, or that do not rise, show a damaged file, which must not be
// gone through for ever.
func each(b *bbolt.Bucket, keyLen int, f func(k, v []byte) error) error {
	var last []byte
	c := b.Cursor()
	for k, v := c.First(); k != nil; k, v = c.Next() {
		if len(k) != keyLen || last != nil && bytes.Compare(last, k) >= 0 {
			return fmt.Errorf("%w: keys are out of order", ErrDamaged)
		}
		if err := f(k, v); err != nil {
			return err
		}
		last = k
	}
	return nil
}

// Recording returns what is known of the recording as a whole.
func (s *Store) Recording() (exchange.Recording, error) {
	var rec exchange.Recording
	err := s.view(func(tx *bbolt.Tx) error {
		meta := tx.Bucket(bucketMeta)
		rec.Key = bytes.Clone(meta.Get(keySecret))
		if want := meta.Get(keySum); len(rec.Key) != keySize || want != nil && string(want) != sum(keySecret, rec.Key) {
			return fmt.Errorf("%w: key of the secrets", ErrDamaged)
		}
		return each(tx.Bucket(bucketPasses), 4, func(k, v []byte) error {
			var p exchange.Pass
			err := getJSON(k, v, &p)
			rec.Passes = append(rec.Passes, p)
			return err
		})
	})
	if err == nil {
		rec.Count, err = s.lastSeq()
	}
	if err != nil {
		return rec, fmt.Errorf("read recording %s: %w", s.path, err)
	}
	if len(rec.Passes) > 0 {
		rec.Started = rec.Passes[0].Started
	}
	return rec, nil
}

// lastSeq returns the position of the last exchange that is stored, 0 where there is none.
func (s *Store) lastSeq() (last uint64, err error) {
	err = s.view(func(tx *bbolt.Tx) error {
		k, v := tx.Bucket(bucketFingerprints).Cursor().Last()
		block, records := tx.Bucket(bucketExchanges).Cursor().Last()
		if k == nil && block == nil {
			return nil
		}
		// The fingerprints have no checksum: what they count must be in the blocks, and nothing beside it.
		if len(k) != 8 || len(v) == 0 || len(v)%fingerprintSize != 0 || !bytes.Equal(k, block) {
			return fmt.Errorf("%w: fingerprints of the last block", ErrDamaged)
		}
		if len(v)/fingerprintSize != blockCount(records) {
			if _, err := unpack(s.decoder, binary.BigEndian.Uint64(k), records); err == nil { // else it is the block
				return fmt.Errorf("%w: fingerprints of the last block", ErrDamaged)
			}
		}
		last = binary.BigEndian.Uint64(k) + uint64(len(v)/fingerprintSize) - 1
		return nil
	})
	return last, err
}

// exchangeBlock returns the records of the block that holds the exchange at seq, and the position of the first of them.
// The error satisfies errors.Is(err, fs.ErrNotExist) where there is no such exchange.
func (s *Store) exchangeBlock(seq uint64) (first uint64, records [][]byte, err error) {
	err = s.view(func(tx *bbolt.Tx) error {
		c := tx.Bucket(bucketExchanges).Cursor()
		k, v := c.Seek(seqKey(seq))
		if k == nil || !bytes.Equal(k, seqKey(seq)) {
			k, v = c.Prev()
		}
		if k == nil {
			return fs.ErrNotExist
		}
		if len(k) != 8 {
			return fmt.Errorf("%w: key of a block has %d bytes", ErrDamaged, len(k))
		}
		first = binary.BigEndian.Uint64(k)
		records, err = unpack(s.decoder, first, v)
		return err
	})
	if err == nil && seq-first >= uint64(len(records)) {
		err = fs.ErrNotExist
	}
	return first, records, err
}

// blockAfter returns the position at which the block after that of seq begins, last+1 where there is none, or none that
// can be found. The index says it, which is not damaged where the block is.
func (s *Store) blockAfter(seq, last uint64) uint64 {
	after := last + 1
	for _, bucket := range [][]byte{bucketFingerprints, bucketExchanges} {
		err := s.view(func(tx *bbolt.Tx) error {
			if k, _ := tx.Bucket(bucket).Cursor().Seek(seqKey(seq + 1)); len(k) == 8 {
				after = min(after, binary.BigEndian.Uint64(k))
			}
			return nil
		})
		if err == nil && after > seq {
			return after
		}
	}
	return last + 1
}

// decode reads the record of an exchange. The exchange keeps parts of raw.
func (s *Store) decode(raw []byte, seq uint64) (*exchange.Exchange, error) {
	e, err := DecodeExchange(raw)
	if err == nil && e.Seq != seq {
		err = fmt.Errorf("%w: it says that it is exchange %d", ErrDamaged, e.Seq)
	}
	if err == nil {
		err = s.join(&e.Request.Message)
	}
	if err == nil {
		err = s.joinOutcome(e.Response, e.Fault)
	}
	return e, err
}

// Exchange returns the exchange at a position. The error satisfies errors.Is(err, fs.ErrNotExist) where there is none.
func (s *Store) Exchange(seq uint64) (*exchange.Exchange, error) {
	first, records, err := s.exchangeBlock(seq)
	if err != nil {
		return nil, fmt.Errorf("read exchange %d of %s: %w", seq, s.path, err)
	}
	e, err := s.decode(bytes.Clone(records[seq-first]), seq)
	if err != nil {
		return nil, fmt.Errorf("read exchange %d of %s: %w", seq, s.path, err)
	}
	return e, nil
}

// Select returns the exchanges at the given positions, in the order of those. Neighbours are read at once. It ends
// after the first error.
func (s *Store) Select(seqs []uint64) iter.Seq2[*exchange.Exchange, error] {
	return func(yield func(*exchange.Exchange, error) bool) {
		var (
			first   uint64
			records [][]byte
			err     error
		)
		for _, seq := range seqs {
			if seq < first || seq-first >= uint64(len(records)) {
				first, records, err = s.exchangeBlock(seq)
			}
			var e *exchange.Exchange
			if err == nil {
				e, err = s.decode(bytes.Clone(records[seq-first]), seq)
			}
			if err != nil {
				yield(nil, fmt.Errorf("read exchange %d of %s: %w", seq, s.path, err))
				return
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}

// After returns the exchanges behind a position, in order, as [Store.Exchanges] does.
func (s *Store) After(seq uint64) iter.Seq2[*exchange.Exchange, error] { return s.exchanges(seq + 1) }

// Exchanges returns the exchanges in order, all passes, as far as they are stored when the iteration begins (see
// [Store.Flush]). After a [DamageError] the iteration goes on behind what is damaged; it ends after any other.
func (s *Store) Exchanges() iter.Seq2[*exchange.Exchange, error] { return s.exchanges(1) }

func (s *Store) exchanges(from uint64) iter.Seq2[*exchange.Exchange, error] {
	return func(yield func(*exchange.Exchange, error) bool) {
		last, err := s.lastSeq()
		for next := from; err == nil && next <= last; {
			first, records, berr := s.exchangeBlock(next)
			if berr != nil {
				after := s.blockAfter(next, last)
				if err = damage(berr, 0, next, after-1); isDamage(err) {
					if !yield(nil, fmt.Errorf("read recording %s: %w", s.path, err)) {
						return
					}
					next, err = after, nil
				}
				continue
			}
			for _, raw := range records[next-first:] {
				// A copy of its own for each exchange: who keeps one does not keep the whole block.
				e, err := s.decode(bytes.Clone(raw), next)
				if err != nil {
					e, err = nil, fmt.Errorf("read recording %s: %w", s.path, damage(err, 0, next, next))
				}
				if !yield(e, err) || err != nil && !isDamage(err) {
					return
				}
				next++
			}
		}
		if err != nil {
			yield(nil, fmt.Errorf("read recording %s: %w", s.path, err))
		}
	}
}

// ByFingerprint returns the positions of the exchanges with that fingerprint (by [exchange.Exact]), in order. It looks
// through all fingerprints, at some gigabytes per second: FORMAT.md says why.
func (s *Store) ByFingerprint(f exchange.Fingerprint) ([]uint64, error) {
	var seqs []uint64
	err := s.view(func(tx *bbolt.Tx) error {
		return each(tx.Bucket(bucketFingerprints), 8, func(k, v []byte) error {
			if len(v)%fingerprintSize != 0 {
				return fmt.Errorf("%w: fingerprints of a block", ErrDamaged)
			}
			for i := 0; i < len(v); i += fingerprintSize {
				if exchange.Fingerprint(v[i:i+fingerprintSize]) == f {
					seqs = append(seqs, binary.BigEndian.Uint64(k)+uint64(i/fingerprintSize))
				}
			}
			return nil
		})
	})
	if err != nil {
		return nil, fmt.Errorf("find fingerprint in %s: %w", s.path, err)
	}
	return seqs, nil
}

// ReadRecording reads what a recording says of itself: its key, its passes, and how many exchanges it has.
func ReadRecording(path string) (exchange.Recording, error) {
	db, err := OpenReadOnly(path)
	if err != nil {
		return exchange.Recording{}, err
	}
	defer db.Close()
	return db.Recording()
}
