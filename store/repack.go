package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"go.etcd.io/bbolt"
)

// repackBatch is how much is packed at once, in bytes, as it was packed before or not at all.
const repackBatch = 2 << 20

// repack copies what was packed in a hurry or in small blocks, all in its order, into full blocks with zstd.
func (c *copier) repack() error {
	c.advance(0)
	if err := errors.Join(c.repackBodies(), c.repackExchanges()); err != nil {
		return err
	}
	for run := range c.Runs {
		if err := c.repackRun(run); err != nil {
			return err
		}
	}
	return nil
}

// advance says that so many records more are packed.
func (c *copier) advance(records int) {
	if c.packing == nil {
		return
	}
	total := int(c.Piece + c.Last)
	for _, count := range c.Runs {
		total += count
	}
	c.packed += records
	c.packing(c.packed, total)
}

// repackBodies copies the pieces of bodies, those that were packed in a hurry with zstd.
func (c *copier) repackBodies() error {
	for next, more := uint64(0), true; more; {
		var pieces []block
		err := c.from.view(func(tx *bbolt.Tx) error {
			cursor, size := tx.Bucket(bucketBodies).Cursor(), 0
			k, v := cursor.Seek(seqKey(next))
			for ; k != nil && size < repackBatch; k, v = cursor.Next() { // nothing grows while a recording is closed
				if len(k) != 8 {
					return fmt.Errorf("%w: key of a piece has %d bytes", ErrDamaged, len(k))
				}
				pieces = append(pieces, block{first: binary.BigEndian.Uint64(k), value: bytes.Clone(v)})
				size += len(v)
			}
			more = k != nil
			return nil
		})
		if err != nil || len(pieces) == 0 {
			return err
		}
		next = pieces[len(pieces)-1].first + 1
		failed := make([]error, len(pieces))
		c.pack.each(len(pieces), func(i int, pack *packer) {
			pieces[i].value, failed[i] = c.repackPiece(pieces[i], pack)
		})
		if err := errors.Join(failed...); err != nil {
			return err
		}
		err = c.to.Update(func(tx *bbolt.Tx) error {
			b := tx.Bucket(bucketBodies)
			b.FillPercent = 1
			for _, p := range pieces {
				if err := b.Put(seqKey(p.first), p.value); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		c.advance(len(pieces))
	}
	return nil
}

// repackPiece returns the value of a piece, packed anew where that was done in a hurry.
func (c *copier) repackPiece(b block, pack *packer) ([]byte, error) {
	if len(b.value) == 0 || b.value[0] != formS2 {
		return b.value, nil
	}
	data, err := content(c.from.decoder, b.first, b.value)
	if err != nil {
		return nil, err
	}
	return pack.packPiece(b.first, data), nil
}

func (c *copier) repackExchanges() error {
	p := pending{most: packRecords}
	for next := uint64(1); next <= c.Last; {
		first, records, err := c.from.exchangeBlock(next)
		if err != nil {
			return err
		}
		index, err := c.fingerprints(first, len(records))
		if err != nil {
			return err
		}
		from := next
		for i := int(next - first); i < len(records); i++ {
			p.add(next, func(b []byte) []byte { return append(b, records[i]...) })
			p.index = append(p.index, index[i*fingerprintSize:(i+1)*fingerprintSize]...)
			next++
		}
		if next > c.Last || len(p.arena) >= repackBatch {
			p.seal(c.pack)
		}
		if err := c.flush(&p, next > c.Last, putExchanges); err != nil {
			return err
		}
		c.advance(int(next - from))
	}
	return nil
}

// fingerprints returns those of a block of count exchanges.
func (c *copier) fingerprints(first uint64, count int) (index []byte, err error) {
	err = c.from.view(func(tx *bbolt.Tx) error {
		index = bytes.Clone(tx.Bucket(bucketFingerprints).Get(seqKey(first)))
		return nil
	})
	if err == nil && len(index) != count*fingerprintSize {
		err = fmt.Errorf("%w: fingerprints of a block", ErrDamaged)
	}
	return index, err
}

func (c *copier) repackRun(run int) error {
	cursor := &runCursor{store: c.from, run: run, next: []byte{}}
	p := pending{most: packRecords}
	count := 0
	put := func(tx *bbolt.Tx, blocks []block) error { return putObservations(tx, run, blocks) }
	if err := c.to.Update(func(tx *bbolt.Tx) error { // putObservations counts
		return tx.Bucket(bucketObservations).Bucket(numberKey(run)).SetSequence(0)
	}); err != nil {
		return err
	}
	for more := true; more; {
		held, err := cursor.take()
		if err != nil {
			return err
		}
		for _, o := range held {
			p.add(o.seq, func(b []byte) []byte { return append(b, o.raw...) })
		}
		count, more = count+len(held), len(held) > 0
		if !more || len(p.arena) >= repackBatch {
			p.seal(c.pack)
		}
		if err := c.flush(&p, !more, put); err != nil {
			return err
		}
		c.advance(len(held))
	}
	if count != c.Runs[run] {
		return fmt.Errorf("%w: run %d has %d observations, not %d", ErrDamaged, run, count, c.Runs[run])
	}
	return nil
}

// flush writes the blocks that wait, once there are enough of them, or those are all that there will be.
func (c *copier) flush(p *pending, all bool, put func(*bbolt.Tx, []block) error) error {
	size := 0
	for _, b := range p.blocks {
		size += len(b.value)
	}
	if size < copyBatch && !all {
		return nil
	}
	err := c.to.Update(func(tx *bbolt.Tx) error { return put(tx, p.blocks) })
	p.blocks = nil
	return err
}
