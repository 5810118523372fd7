package store

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"slices"

	"github.com/klauspost/compress/zstd"

	"github.com/flaketap/flaketap/exchange"
)

// The bounds of a block. Sixty-four exchanges of a fuzzer compress three times as well together as each alone, and are
// still unpacked in well under a millisecond when one of them is wanted.
const (
	blockRecords = 64
	packRecords  = 256     // in a block that is made anew when a recording is closed
	blockBytes   = 1 << 20 // a record larger than this has a block of its own
	// blockSpan bounds how far apart the positions in a block of observations are. Workers finish out of order, so that
	// blocks may overlap: a reader that merges them holds no more than this many positions of a run.
	blockSpan = 256
	// maxBlock bounds what a block unpacks to: one record of the largest size, or several within blockBytes.
	maxBlock = maxRecord + blockBytes
)

// The forms of a block.
const (
	formRaw1  = 0 // of version 1: without a checksum
	formZstd1 = 1 // of version 1: with that of zstd
	formRaw   = 2
	formZstd  = 3
)

// checksum is what a block bears of itself: its content belongs to this position, and nothing of it has changed.
func checksum(first uint64, form byte, data []byte) uint32 {
	var head [9]byte
	binary.BigEndian.PutUint64(head[:], first)
	head[8] = form
	return crc32.Update(crc32.Checksum(head[:], castagnoli), castagnoli, data)
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// pending is the encoded records of one run, or of the recording itself, that wait for the next commit.
type pending struct {
	most   int // records in a block
	blocks []block

	// What is in no block yet.
	arena []byte
	refs  []ref
	index []byte // of exchanges: the fingerprints, 16 bytes each
}

// ref is one record in an arena.
type ref struct {
	seq        uint64
	start, end int
}

// block is some records as they are put into the file.
type block struct {
	first uint64 // the position of the first record
	count int
	value []byte
	index []byte // of exchanges: the fingerprints
}

// full reports whether it is time to seal.
func (p *pending) full() bool { return len(p.refs) >= p.most || len(p.arena) >= blockBytes }

// add adds a record, which fill appends to what it is given.
func (p *pending) add(seq uint64, fill func([]byte) []byte) {
	start := len(p.arena)
	p.arena = fill(p.arena)
	p.refs = append(p.refs, ref{seq, start, len(p.arena)})
}

// seal sorts the records by position and packs them into blocks: more than one where they lie far apart, or are large.
// Records at one position keep the order in which they came.
func (p *pending) seal(pack *packer) {
	slices.SortStableFunc(p.refs, func(a, b ref) int { return cmp.Compare(a.seq, b.seq) })
	index := p.index
	for refs := p.refs; len(refs) > 0; {
		n, size := 1, refs[0].end-refs[0].start
		for n < len(refs) && n < p.most && refs[n].seq-refs[0].seq < blockSpan {
			size += refs[n].end - refs[n].start
			if size > blockBytes {
				break
			}
			n++
		}
		b := block{first: refs[0].seq, count: n, value: pack.pack(refs[0].seq, p.arena, refs[:n])}
		if len(index) > 0 { // exchanges come in order, so that sorting has not moved them
			b.index = slices.Clone(index[:n*fingerprintSize])
			index = index[n*fingerprintSize:]
		}
		p.blocks = append(p.blocks, b)
		refs = refs[n:]
	}
	p.arena, p.refs, p.index = keep(p.arena), p.refs[:0], p.index[:0]
}

// fingerprintSize is the size of a fingerprint, in the index and in memory.
const fingerprintSize = len(exchange.Fingerprint{})

// keep returns a buffer for use again, unless a large record has blown it up.
func keep(b []byte) []byte {
	if cap(b) > 4*blockBytes {
		return nil
	}
	return b[:0]
}

// packer makes the values of blocks.
type packer struct {
	enc *zstd.Encoder
	raw []byte // used again for each block
}

// newPacker returns a packer. The writer shares the machine with the API and with the client that tests it: it uses
// the fastest level.
func newPacker(level zstd.EncoderLevel) (*packer, error) {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(level),
		zstd.WithEncoderCRC(false))
	return &packer{enc: enc}, err
}

// pack makes the value of a block: form, checksum, number of records, and the records each with its length before it,
// compressed where that makes them smaller.
func (p *packer) pack(first uint64, arena []byte, refs []ref) []byte {
	p.raw = keep(p.raw)
	for _, r := range refs {
		p.raw = appendBytes(p.raw, arena[r.start:r.end])
	}
	var head [blockHead + binary.MaxVarintLen64]byte
	head[0] = formZstd
	n := blockHead + binary.PutUvarint(head[blockHead:], uint64(len(refs)))
	value := p.enc.EncodeAll(p.raw, append(make([]byte, 0, len(p.raw)/3+512), head[:n]...))
	if len(value)-n >= len(p.raw) {
		value = append(value[:n], p.raw...)
		value[0] = formRaw
	}
	binary.BigEndian.PutUint32(value[1:], checksum(first, value[0], value[blockHead:]))
	return value
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
		return nil, fmt.Errorf("%w: block without a head", errDamaged)
	}
	form, d := value[0], decoder{b: value[1:]}
	if form == formRaw || form == formZstd {
		d.b = value[blockHead:]
		if checksum(first, form, d.b) != binary.BigEndian.Uint32(value[1:]) {
			return nil, fmt.Errorf("%w: the checksum of a block is wrong", errDamaged)
		}
	}
	count := int(d.bounded(packRecords))
	if d.err != nil {
		return nil, d.err
	}
	var raw []byte
	switch form {
	case formRaw, formRaw1:
		raw = slices.Clone(d.b)
	case formZstd, formZstd1:
		var err error
		if raw, err = dec.DecodeAll(d.b, nil); err != nil {
			return nil, fmt.Errorf("%w: unpack block: %w", errDamaged, err)
		}
	default:
		return nil, fmt.Errorf("%w: unknown block form %d", errDamaged, form)
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
