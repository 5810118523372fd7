package store

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/klauspost/compress/zstd"

	"github.com/flaketap/flaketap/exchange"
)

// The bounds of a block. Sixty-four exchanges of a fuzzer compress three times as well together as each alone, and are
// still unpacked in well under a millisecond when one of them is wanted.
const (
	blockRecords = 64
	blockBytes   = 1 << 20 // a record larger than this has a block of its own
	// blockSpan bounds how far apart the positions in a block of observations are. Workers finish out of order, so that
	// blocks may overlap: a reader that merges them holds no more than this many positions of a run.
	blockSpan = 256
	// maxBlock bounds what a block unpacks to: one record of the largest size, or several within blockBytes.
	maxBlock = maxRecord + blockBytes
)

// The forms of the data of a block.
const (
	formRaw  = 0 // of files of before: it has no checksum
	formZstd = 1
)

// pending is the encoded records of one run, or of the recording itself, that wait for the next commit.
type pending struct {
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
func (p *pending) full() bool { return len(p.refs) >= blockRecords || len(p.arena) >= blockBytes }

// seal sorts the records by position and packs them into blocks: more than one where they lie far apart, or are large.
// Records at one position keep the order in which they came.
func (p *pending) seal(pack *packer) {
	slices.SortStableFunc(p.refs, func(a, b ref) int { return cmp.Compare(a.seq, b.seq) })
	index := p.index
	for refs := p.refs; len(refs) > 0; {
		n, size := 1, refs[0].end-refs[0].start
		for n < len(refs) && n < blockRecords && refs[n].seq-refs[0].seq < blockSpan {
			size += refs[n].end - refs[n].start
			if size > blockBytes {
				break
			}
			n++
		}
		b := block{first: refs[0].seq, count: n, value: pack.pack(p.arena, refs[:n])}
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

func newPacker() (*packer, error) {
	// The fastest level: the writer shares the machine with the API and with the client that tests it.
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest))
	return &packer{enc: enc}, err
}

// pack makes the value of a block: form, number of records, and the records each with its length before it. What does not
// get smaller is a frame of zstd all the same, which costs some ten bytes: the frame has a checksum.
func (p *packer) pack(arena []byte, refs []ref) []byte {
	p.raw = keep(p.raw)
	for _, r := range refs {
		p.raw = appendBytes(p.raw, arena[r.start:r.end])
	}
	return p.enc.EncodeAll(p.raw, binary.AppendUvarint([]byte{formZstd}, uint64(len(refs))))
}

// blockCount returns how many records a block says that it has.
func blockCount(value []byte) int {
	if len(value) == 0 {
		return 0
	}
	d := decoder{b: value[1:]}
	return int(d.bounded(blockRecords))
}

// unpack returns the records of a block. They are parts of memory that nothing else uses: never of value itself, which
// may lie in the mapped file.
func unpack(dec *zstd.Decoder, value []byte) ([][]byte, error) {
	if len(value) == 0 {
		return nil, fmt.Errorf("%w: empty block", errDamaged)
	}
	form := value[0]
	d := decoder{b: value[1:]}
	count := int(d.bounded(blockRecords))
	if d.err != nil {
		return nil, d.err
	}
	var raw []byte
	switch form {
	case formRaw:
		raw = slices.Clone(d.b)
	case formZstd:
		var err error
		if raw, err = dec.DecodeAll(d.b, nil); err != nil {
			return nil, fmt.Errorf("%w: unpack block: %w", errDamaged, err)
		}
	default:
		return nil, fmt.Errorf("%w: block form %d is not known", errDamaged, form)
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
