package intercept

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// errPartial says that memory could be read or written in part only.
var errPartial = errors.New("a part of the memory is not there")

// readMemory fills b from another process's memory.
func readMemory(thread uint32, at uint64, b []byte) error {
	if len(b) == 0 {
		return nil
	}
	local := []unix.Iovec{{Base: &b[0]}}
	local[0].SetLen(len(b))
	n, err := unix.ProcessVMReadv(int(thread), local, []unix.RemoteIovec{{Base: uintptr(at), Len: len(b)}}, 0)
	if err == nil && n != len(b) {
		err = errPartial
	}
	return err
}

// writeMemory writes b into another process's memory. What that process may not write itself is left alone.
func writeMemory(thread uint32, at uint64, b []byte) error {
	if len(b) == 0 {
		return nil
	}
	local := []unix.Iovec{{Base: &b[0]}}
	local[0].SetLen(len(b))
	n, err := unix.ProcessVMWritev(int(thread), local, []unix.RemoteIovec{{Base: uintptr(at), Len: len(b)}}, 0)
	if err == nil && n != len(b) {
		err = errPartial
	}
	return err
}

// readSockaddr reads an address that a call names.
func readSockaddr(thread uint32, at uint64, size uint32) (endpoint, error) {
	b := make([]byte, min(size, maxSockaddr))
	if err := readMemory(thread, at, b); err != nil {
		return endpoint{}, fmt.Errorf("read address: %w", err)
	}
	return parseSockaddr(b), nil
}

// Layout of struct msghdr and struct mmsghdr on 64 bits (recv(2)).
const (
	msghdrName       = 0
	msghdrNameLen    = 8
	msghdrControl    = 32
	msghdrControlLen = 40
	msghdrSize       = 56
	mmsghdrSize      = 64
)

// maxMessages is how many messages sendmmsg takes at once: UIO_MAXIOV.
const maxMessages = 1024

// destination is where the address of a message lies.
type destination struct {
	at   uint64
	size uint32
}

// controlData is where those of a message lie.
type controlData struct{ at, size uint64 }

// parseMessages reads where messages are to go, and what is said of the way, from the bytes of msghdrs, each step bytes
// behind the one before. Those that name no address go where their socket is connected, and are left out of to.
func parseMessages(b []byte, step int) (to []destination, control []controlData) {
	for ; len(b) >= msghdrSize; b = b[min(step, len(b)):] {
		at := binary.NativeEndian.Uint64(b[msghdrName:])
		if size := binary.NativeEndian.Uint32(b[msghdrNameLen:]); at != 0 && size != 0 {
			to = append(to, destination{at, size})
		}
		at = binary.NativeEndian.Uint64(b[msghdrControl:])
		if size := binary.NativeEndian.Uint64(b[msghdrControlLen:]); at != 0 && size != 0 {
			control = append(control, controlData{at, size})
		}
	}
	return to, control
}

// processOf is the process that a thread is of: descriptors are known by it.
func processOf(thread uint32) (int, error) {
	status, err := os.ReadFile("/proc/" + strconv.FormatUint(uint64(thread), 10) + "/status")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(status)) {
		if value, found := strings.CutPrefix(line, "Tgid:"); found {
			return strconv.Atoi(strings.TrimSpace(value))
		}
	}
	return 0, errors.New("the thread has no process")
}

// duplicate returns a descriptor of another process as one of this process.
func duplicate(thread uint32, fd int) (int, error) {
	pid, err := processOf(thread)
	if err != nil {
		return -1, err
	}
	p, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return -1, err
	}
	defer unix.Close(p)
	return unix.PidfdGetfd(p, fd, 0)
}
