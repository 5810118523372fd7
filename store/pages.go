package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"go.etcd.io/bbolt"
)

// order is that of the machine, in which the database writes its own numbers.
var order = binary.NativeEndian

// A page begins with 16 bytes: its number (8), its kind (2), how many elements it has (2), and how many pages more it
// takes (4). An element of a branch has 16 bytes: where its key is and how long that is (4 each), and the page below
// (8). One of a leaf has 16 too: its flags, where its key is, counted from the element, and the lengths of key and
// value, which follow each other (4 each).
const (
	pageHead    = 16
	elementSize = 16
	bucketHead  = 16 // of the value of a bucket: its root page and its sequence (8 each)
	bucketFlag  = 1  // of an element of a leaf: its value is that of a bucket

	branchPage   = 0x01
	leafPage     = 0x02
	metaPage     = 0x04
	freelistPage = 0x10

	// maxDepth bounds how deep a tree of pages is. Branches have some hundred elements each: no file comes near it.
	maxDepth = 32
)

// pageTree looks through the trees of pages that reading would go through. The database follows the numbers of pages
// wherever they lead: one that leads back has it go round until memory ends, which nothing recovers from, and a page
// that stands within an entry may lead out of it (see within). All else that may be wrong with a page makes it panic,
// or fails a checksum, when it comes there; what lies elsewhere can still be read.
type pageTree struct {
	file      io.ReaderAt
	size, end uint64          // of a page, in bytes; the number of pages
	branches  map[uint64]bool // that were met
}

// checkPages refuses a database whose trees of pages are none. It reads the heads of all their pages, and of branches
// the elements.
func checkPages(tx *bbolt.Tx, f io.ReaderAt) error {
	size := uint64(tx.DB().Info().PageSize)
	t := &pageTree{file: f, size: size, end: uint64(tx.Size()) / size, branches: map[uint64]bool{}}
	return t.walk(uint64(tx.Cursor().Bucket().Root()), 0, 2)
}

// walk looks through the tree below a page, and levels of buckets within it.
func (t *pageTree) walk(page uint64, depth, levels int) error {
	switch {
	case depth > maxDepth:
		return fmt.Errorf("%w: page %d is more than %d pages deep", ErrDamaged, page, maxDepth)
	case page >= t.end:
		return nil // the database faults there
	}
	var head [pageHead]byte
	if err := t.read(head[:], page, 0); err != nil {
		return err
	}
	if order.Uint64(head[:]) != page {
		return nil // the database panics there, as at any kind that there is not
	}
	switch kind, count := order.Uint16(head[8:]), int(order.Uint16(head[10:])); kind {
	case leafPage:
		if levels == 0 {
			return nil
		}
		return t.buckets(page, count, levels)
	case branchPage:
		if t.branches[page] {
			return fmt.Errorf("%w: page %d is reached twice", ErrDamaged, page)
		}
		t.branches[page] = true
		elements, err := t.elements(page, max(count, 1)) // the database looks at the first of none, too
		for at := 0; err == nil && at < len(elements); at += elementSize {
			err = t.walk(order.Uint64(elements[at+8:]), depth+1, levels)
		}
		return err
	case metaPage, freelistPage: // it would take them for branches
		return fmt.Errorf("%w: page %d is of kind %d", ErrDamaged, page, kind)
	}
	return nil
}

// read reads what stands in a page from an offset on.
func (t *pageTree) read(b []byte, page, offset uint64) error {
	if _, err := t.file.ReadAt(b, int64(page*t.size+offset)); err != nil {
		return fmt.Errorf("read page %d: %w", page, err)
	}
	return nil
}

// elements returns those of a page, as far as the file goes.
func (t *pageTree) elements(page uint64, count int) ([]byte, error) {
	room := (t.end*t.size - page*t.size - pageHead) / elementSize
	b := make([]byte, min(uint64(count), room)*elementSize)
	return b, t.read(b, page, pageHead)
}

// buckets looks through those whose entries are in a leaf.
func (t *pageTree) buckets(page uint64, count, levels int) error {
	elements, err := t.elements(page, count)
	for at := 0; err == nil && at < len(elements); at += elementSize {
		if e := leafElement(elements[at:]); e.isBucket() {
			err = t.bucket(page, pageHead+uint64(at)+e.key(), e, levels)
		}
	}
	return err
}

// bucket looks through the one whose key is at an offset in a page. Where it is so small that its only page stands
// within its value, its root is 0.
func (t *pageTree) bucket(page, offset uint64, e leafElement, levels int) error {
	key := make([]byte, min(e.keySize(), uint64(len(bucketObservations))))
	var head [bucketHead]byte
	if page*t.size+offset+e.keySize()+bucketHead > t.end*t.size {
		return nil // the database faults there
	}
	if err := errors.Join(t.read(key, page, offset), t.read(head[:], page, offset+e.keySize())); err != nil {
		return err
	}
	if root := order.Uint64(head[:]); root != 0 {
		if levels == 1 || string(key) != string(bucketObservations) {
			return t.walk(root, 0, 0)
		}
		return t.walk(root, 0, 1)
	}
	if err := t.within(page, offset+e.keySize()+bucketHead, e.valueSize()); err != nil {
		return fmt.Errorf("%w: a page within page %d %w", ErrDamaged, page, err)
	}
	return nil
}

// within looks through a page that stands within the value of its bucket, of that many bytes. The database copies such
// values to where they are aligned, and what leads out of the copy leads into memory of the program, where the garbage
// collector ends it: nothing recovers from that either.
func (t *pageTree) within(page, offset, valueSize uint64) error {
	var head [pageHead]byte
	if valueSize < bucketHead+pageHead {
		return fmt.Errorf("has %d bytes", valueSize)
	}
	if err := t.read(head[:], page, offset); err != nil {
		return err
	}
	if kind := order.Uint16(head[8:]); kind != leafPage {
		return fmt.Errorf("is of kind %d", kind)
	}
	size := valueSize - bucketHead
	elements := make([]byte, uint64(order.Uint16(head[10:]))*elementSize)
	if pageHead+uint64(len(elements)) > size {
		return fmt.Errorf("has %d elements in %d bytes", len(elements)/elementSize, size)
	}
	if err := t.read(elements, page, offset+pageHead); err != nil {
		return err
	}
	for at := 0; at < len(elements); at += elementSize {
		e := leafElement(elements[at:])
		if e.isBucket() {
			return errors.New("has a bucket")
		}
		if end := pageHead + uint64(at) + e.key() + e.keySize() + e.valueSize(); end > size {
			return fmt.Errorf("of %d bytes has an element that ends at %d", size, end)
		}
	}
	return nil
}

// leafElement is an element of a leaf, and what follows it.
type leafElement []byte

func (e leafElement) isBucket() bool    { return order.Uint32(e)&bucketFlag != 0 }
func (e leafElement) key() uint64       { return uint64(order.Uint32(e[4:])) }
func (e leafElement) keySize() uint64   { return uint64(order.Uint32(e[8:])) }
func (e leafElement) valueSize() uint64 { return uint64(order.Uint32(e[12:])) }
