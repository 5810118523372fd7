package store

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
)

// The forms of a block.
const (
	formRaw1  = 0 // of version 1: without a checksum
	formZstd1 = 1 // of version 1: with that of zstd
	formRaw   = 2
	formZstd  = 3
	formS2    = 4 // from version 4
)

// checksum is what a block bears of itself: its content belongs to this position, and nothing of it has changed.
func checksum(first uint64, form byte, data []byte) uint32 {
	var head [9]byte
	binary.BigEndian.PutUint64(head[:], first)
	head[8] = form
	return crc32.Update(crc32.Checksum(head[:], castagnoli), castagnoli, data)
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// packer makes the values of blocks.
type packer struct {
	enc   *zstd.Encoder
	quick bool // packs by S2: three times as fast as zstd, into twice the room

	raw, packed []byte // used again for each block
}

// newPacker returns a packer. The writer shares the machine with the API and with the client that tests it: it uses
// the fastest level. A window larger than a block would take memory for nothing.
func newPacker(level zstd.EncoderLevel) (*packer, error) {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(level),
		zstd.WithEncoderCRC(false), zstd.WithWindowSize(blockBytes))
	return &packer{enc: enc}, err
}

// packers pack blocks side by side, one for each core.
type packers []*packer

// newPackers returns count packers.
func newPackers(count int, level zstd.EncoderLevel) (packers, error) {
	var all packers
	for range count {
		p, err := newPacker(level)
		if err != nil {
			return nil, errors.Join(err, all.close())
		}
		all = append(all, p)
	}
	return all, nil
}

// each calls f for every number below n with a packer that nobody else uses meanwhile.
func (all packers) each(n int, f func(i int, pack *packer)) {
	if len(all) == 1 || n == 1 {
		for i := range n {
			f(i, all[0])
		}
		return
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for _, pack := range all {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				f(i, pack)
			}
		})
	}
	wg.Wait()
}

func (all packers) close() (err error) {
	for _, p := range all {
		err = errors.Join(err, p.enc.Close())
	}
	return err
}

// compress appends the compressed form of what is in raw to packed, and returns which one it is.
func (p *packer) compress() byte {
	if !p.quick {
		p.packed = p.enc.EncodeAll(p.raw, p.packed)
		return formZstd
	}
	p.packed = slices.Grow(p.packed, s2.MaxEncodedLen(len(p.raw)))
	n := len(p.packed)
	p.packed = p.packed[:n+len(s2.Encode(p.packed[n:cap(p.packed)], p.raw))]
	return formS2
}

// pack makes the value of a block: form, checksum, number of records, and the records each with its length before it,
// compressed where that makes them smaller.
func (p *packer) pack(first uint64, arena []byte, refs []ref) []byte {
	p.raw = keep(p.raw)
	for _, r := range refs {
		p.raw = appendBytes(p.raw, arena[r.start:r.end])
	}
	var head [blockHead]byte
	p.packed = binary.AppendUvarint(append(keep(p.packed), head[:]...), uint64(len(refs)))
	n := len(p.packed)
	form := p.compress()
	if len(p.packed)-n >= len(p.raw) {
		p.packed, form = append(p.packed[:n], p.raw...), formRaw
	}
	p.packed[0] = form
	binary.BigEndian.PutUint32(p.packed[1:], checksum(first, form, p.packed[blockHead:]))
	return bytes.Clone(p.packed)
}

// packPiece makes the value of a piece of a body: a block of one record.
func (p *packer) packPiece(number uint64, data []byte) []byte {
	return p.pack(number, data, []ref{{end: len(data)}})
}

// blockCount returns how many records a block says that it has, which may be damaged.
func blockCount(value []byte) int {
	head := blockHead
	if len(value) > 0 && value[0] <= formZstd1 {
		head = 1
	}
	if len(value) <= head {
		return 0
	}
	d := decoder{b: value[head:]}
	return int(d.bounded(packRecords))
}

// blockHead is what stands before the number of records: form and checksum.
const blockHead = 1 + 4

// unpack returns the records of the block at a position. They are parts of memory that nothing else uses: never of
// value itself, which may lie in the mapped file.
func unpack(dec *zstd.Decoder, first uint64, value []byte) ([][]byte, error) {
	if len(value) < blockHead {
		return nil, fmt.Errorf("%w: block without a head", ErrDamaged)
	}
	form, d := value[0], decoder{b: value[1:]}
	if form == formRaw || form == formZstd || form == formS2 {
		d.b = value[blockHead:]
		if checksum(first, form, d.b) != binary.BigEndian.Uint32(value[1:]) {
			return nil, fmt.Errorf("%w: the checksum of a block is wrong", ErrDamaged)
		}
	}
	count := int(d.bounded(packRecords))
	if d.err != nil {
		return nil, d.err
	}
	raw, err := decompress(dec, form, d.b)
	if err != nil {
		return nil, fmt.Errorf("%w: unpack block: %w", ErrDamaged, err)
	}
	d = decoder{b: raw}
	records := make([][]byte, 0, count)
	for range count {
		records = append(records, d.bytes())
	}
	if err := d.end(); err != nil {
		return nil, err
	}
	return records, nil
}

// decompress returns the bytes of the records of a block, as a copy.
func decompress(dec *zstd.Decoder, form byte, packed []byte) ([]byte, error) {
	switch form {
	case formRaw, formRaw1:
		return slices.Clone(packed), nil
	case formZstd, formZstd1:
		return dec.DecodeAll(packed, nil)
	case formS2:
		if n, err := s2.DecodedLen(packed); err != nil || n > maxBlock {
			return nil, cmp.Or(err, errors.New("it unpacks to more than a block holds"))
		}
		return s2.Decode(nil, packed)
	}
	return nil, fmt.Errorf("unknown form %d", form)
}
