package intercept

import (
	"bytes"
	"encoding/binary"
	"os"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"
)

// message is the bytes of a msghdr, or of an mmsghdr where step is longer.
func message(at uint64, size uint32, step int) []byte {
	b := make([]byte, step)
	binary.NativeEndian.PutUint64(b[msghdrName:], at)
	binary.NativeEndian.PutUint32(b[msghdrNameLen:], size)
	return b
}

// saying has a message come with control data.
func saying(b []byte, at, size uint64) []byte {
	binary.NativeEndian.PutUint64(b[msghdrControl:], at)
	binary.NativeEndian.PutUint64(b[msghdrControlLen:], size)
	return b
}

func TestParseMessages(t *testing.T) {
	two := append(message(0, 0, mmsghdrSize), message(0x1000, 16, mmsghdrSize)...)
	for _, tc := range []struct {
		name    string
		in      []byte
		step    int
		want    []destination
		control []controlData
	}{
		{"none named", message(0, 0, msghdrSize), msghdrSize, nil, nil},
		{"one", message(0x2000, 28, msghdrSize), msghdrSize, []destination{{0x2000, 28}}, nil},
		{"the second of two", two, mmsghdrSize, []destination{{0x1000, 16}}, nil},
		{"control data alone", saying(message(0, 0, msghdrSize), 0x3000, 24), msghdrSize, nil, []controlData{{0x3000, 24}}},
		{"cut off", two[:70], mmsghdrSize, nil, nil},
		{"empty", nil, msghdrSize, nil, nil},
	} {
		to, control := parseMessages(tc.in, tc.step)
		if diff := cmp.Diff(tc.want, to, cmp.AllowUnexported(destination{})); diff != "" {
			t.Error(tc.name, diff)
		}
		if diff := cmp.Diff(tc.control, control, cmp.AllowUnexported(controlData{})); diff != "" {
			t.Error(tc.name, diff)
		}
	}
}

func FuzzMessages(f *testing.F) {
	f.Add(message(1, 2, mmsghdrSize), true)
	f.Fuzz(func(t *testing.T, b []byte, several bool) {
		step := msghdrSize
		if several {
			step = mmsghdrSize
		}
		to, control := parseMessages(b, step)
		if most := len(b) / msghdrSize; len(to) > most || len(control) > most {
			t.Errorf("%d and %d of %d bytes", len(to), len(control), len(b))
		}
	})
}

// Memory is read and written whole or not at all.
func TestMemory(t *testing.T) {
	own := []byte("hello")
	at := uint64(uintptr(unsafe.Pointer(&own[0])))
	got := make([]byte, 5)
	if err := readMemory(uint32(os.Getpid()), at, got); err != nil || !bytes.Equal(got, own) {
		t.Skipf("this system lets no memory be read: %v", err)
	}
	if err := writeMemory(uint32(os.Getpid()), at, []byte("HE")); err != nil || string(own) != "HEllo" {
		t.Errorf("%q, %v", own, err)
	}
	if err := readMemory(uint32(os.Getpid()), 8, got); err == nil {
		t.Error("what is not there was read")
	}
}
