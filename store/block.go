package store

import (
	"cmp"
	"slices"

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
func (p *pending) seal(pack packers) {
	slices.SortStableFunc(p.refs, func(a, b ref) int { return cmp.Compare(a.seq, b.seq) })
	index, had := p.index, len(p.blocks)
	var groups [][]ref
	for refs := p.refs; len(refs) > 0; {
		n, size := 1, refs[0].end-refs[0].start
		for n < len(refs) && n < p.most && refs[n].seq-refs[0].seq < blockSpan {
			size += refs[n].end - refs[n].start
			if size > blockBytes {
				break
			}
			n++
		}
		b := block{first: refs[0].seq, count: n}
		if len(index) > 0 { // exchanges come in order, so that sorting has not moved them
			b.index = slices.Clone(index[:n*fingerprintSize])
			index = index[n*fingerprintSize:]
		}
		p.blocks, groups = append(p.blocks, b), append(groups, refs[:n])
		refs = refs[n:]
	}
	pack.each(len(groups), func(i int, pack *packer) {
		p.blocks[had+i].value = pack.pack(groups[i][0].seq, p.arena, groups[i])
	})
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
