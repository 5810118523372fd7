package store

import (
	"bytes"
	"errors"
	"hash/fnv"
	"os"
	"strings"
	"testing"

	"go.etcd.io/bbolt"
)

// branchedFile makes a recording whose exchanges, and the observations of whose run, stand below branches of pages. It
// returns its bytes and the offsets of the branches.
func branchedFile(t *testing.T) (data []byte, branches []int) {
	t.Helper()
	path := goodFile(t)
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		for i := range uint64(400) {
			err := errors.Join(
				tx.Bucket(bucketExchanges).Put(seqKey(1000+i), make([]byte, 200)),
				tx.Bucket(bucketObservations).Bucket(numberKey(1)).Put(append(seqKey(1000+i), seqKey(i)...), make([]byte, 200)),
			)
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	if data, err = os.ReadFile(path); err != nil {
		t.Fatal(err)
	}
	size := int(order.Uint32(data[16+8:]))
	for at := 0; at < len(data); at += size {
		if order.Uint64(data[at:]) == uint64(at/size) && order.Uint16(data[at+8:]) == branchPage && order.Uint16(data[at+10:]) > 1 {
			branches = append(branches, at)
		}
	}
	if len(branches) < 2 {
		t.Fatalf("%d branches", len(branches))
	}
	return data, branches
}

// grown returns a file with room for a chain of pages, of which its newest meta page tells.
func grown(t *testing.T, good []byte, size int) []byte {
	t.Helper()
	data := append(bytes.Clone(good), make([]byte, maxDepth*size)...)
	for _, at := range []int{0, size} {
		b := data[at+pageHead:]
		order.PutUint64(b[40:], uint64(len(data)/size))
		sum := fnv.New64a()
		sum.Write(b[:56])
		order.PutUint64(b[56:], sum.Sum64())
	}
	return data
}

// A branch of pages that leads back to itself would have the database go round for ever.
func TestPagesInARing(t *testing.T) {
	needPlainDatabase(t)
	good, branches := branchedFile(t)
	size := int(order.Uint32(good[16+8:]))
	if s, err := OpenReadOnly(write(t, good)); err != nil {
		t.Fatal(err)
	} else if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		bad  func(data []byte, at int)
		want string
	}{
		{"first child", func(d []byte, at int) { order.PutUint64(d[at+pageHead+8:], uint64(at/size)) }, "is reached twice"},
		{"last child", func(d []byte, at int) {
			last := int(order.Uint16(d[at+10:])) - 1
			order.PutUint64(d[at+pageHead+last*elementSize+8:], uint64(at/size))
		}, "is reached twice"},
		{"other kind", func(d []byte, at int) { order.PutUint16(d[at+8:], freelistPage) }, "is of kind 16"},
		{"child as branch", func(d []byte, at int) {
			child := order.Uint64(d[at+pageHead+8:])
			page := d[int(child)*size:]
			order.PutUint16(page[8:], branchPage)
			order.PutUint64(page[pageHead+8:], child)
		}, "is reached twice"},
		{"chain", func(d []byte, at int) { // each of them once, and too deep
			free := len(d) / size
			for i := range maxDepth {
				next := d[(free-maxDepth+i)*size:]
				copy(next[:size], d[at:at+size])
				order.PutUint64(next, uint64(free-maxDepth+i))
				order.PutUint64(next[pageHead+8:], uint64(free-maxDepth+i+1))
			}
			order.PutUint64(d[at+pageHead+8:], uint64(free-maxDepth))
		}, "pages deep"},
	} {
		for _, at := range branches {
			data := bytes.Clone(good)
			if c.name == "chain" {
				data = grown(t, good, size)
			}
			c.bad(data, at)
			_, err := OpenReadOnly(write(t, data))
			if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s at page %d: %v", c.name, at/size, err)
			}
			if _, err := Open(write(t, data), Options{}); !errors.Is(err, ErrDamaged) {
				t.Errorf("%s at page %d, to write: %v", c.name, at/size, err)
			}
		}
	}
}

// A small bucket has its only page within its entry: one that says to be a branch leads to itself, and elements may lead
// out of the entry.
func TestPageWithinAnEntry(t *testing.T) {
	needPlainDatabase(t)
	good, err := os.ReadFile(smallFile(t))
	if err != nil {
		t.Fatal(err)
	}
	const elements = bucketHead + pageHead
	for _, c := range []struct {
		name string
		bad  func(entry, value []byte)
		want string
	}{
		{"a branch", func(_, v []byte) { order.PutUint16(v[bucketHead+8:], branchPage) }, "is of kind 1"},
		{"no room for its head", func(e, _ []byte) { order.PutUint32(e[12:], elements-1) }, "has 31 bytes"},
		{"too many elements", func(_, v []byte) { order.PutUint16(v[bucketHead+10:], 5000) }, "has 5000 elements in"},
		{"a bucket", func(_, v []byte) { order.PutUint32(v[elements:], bucketFlag) }, "has a bucket"},
		{"a key elsewhere", func(_, v []byte) { order.PutUint32(v[elements+4:], 1<<22) }, "has an element that ends at"},
		{"a long key", func(_, v []byte) { order.PutUint32(v[elements+8:], 1<<22) }, "has an element that ends at"},
		{"a long value", func(_, v []byte) { order.PutUint32(v[elements+12:], 1<<22) }, "has an element that ends at"},
	} {
		data := bytes.Clone(good)
		entries := 0
		for at := 2 * pageSize; at < len(data); at += pageSize {
			if order.Uint16(data[at+8:]) != leafPage {
				continue
			}
			for n := range int(order.Uint16(data[at+10:])) {
				i := at + pageHead + n*elementSize
				e := leafElement(data[i:])
				value := data[i+int(e.key()+e.keySize()):]
				if e.isBucket() && order.Uint64(value) == 0 && order.Uint16(value[bucketHead+10:]) > 0 {
					c.bad(e, value)
					entries++
				}
			}
		}
		if entries == 0 {
			t.Fatal("there is no such page")
		}
		_, err := OpenReadOnly(write(t, data))
		if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "a page within page") ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
