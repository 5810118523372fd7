package coverage

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestCommand(t *testing.T) {
	for text, want := range map[string][]string{
		"printf 'b.go:2\\n\\na.go:1\\r\\nb.go:2\\n'": {"b.go:2", "a.go:1"},
		"true": nil,
	} {
		if got := covered(t, text); !slices.Equal(got, want) {
			t.Errorf("%s gives %q", text, got)
		}
	}
	for text, want := range map[string]string{"echo wrong >&2; exit 3": "exit status 3: wrong", "exit 3": "exit status 3"} {
		s, err := Open(text)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Covered(t.Context()); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: error is %v", text, err)
		}
	}
}

func covered(t *testing.T, text string) []string {
	t.Helper()
	s, err := Open(text)
	if err != nil {
		t.Fatal(err)
	}
	items, err := s.Covered(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return items
}

// answering listens, and has each connection be answered until the test ends.
func answering(t *testing.T, network, addr string, answer func(net.Conn)) string {
	t.Helper()
	ln, err := net.Listen(network, addr)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			answer(c)
			c.Close()
		}
	}()
	t.Cleanup(func() {
		ln.Close()
		<-done
	})
	return ln.Addr().String()
}

func TestSocket(t *testing.T) {
	path := answering(t, "unix", filepath.Join(t.TempDir(), "covered"), func(c net.Conn) {
		_, _ = io.WriteString(c, "a.py:1\na.py:2")
	})
	for range 2 {
		if got := covered(t, "unix:"+path); !slices.Equal(got, []string{"a.py:1", "a.py:2"}) {
			t.Errorf("covered are %q", got)
		}
	}
}

// said is what an agent says of two classes.
func said() []byte {
	var b bytes.Buffer
	b.Write([]byte{blockHeader, 0xC0, 0xC0, 0x10, 0x07, blockSession, 0, 2, 'm', 'e'})
	b.Write(make([]byte, 16))
	class := func(name string, probes ...byte) {
		b.Write([]byte{blockData, 1, 2, 3, 4, 5, 6, 7, 8, 0, byte(len(name))})
		b.WriteString(name)
		b.Write(probes)
	}
	class("a/B", 10, 0b10000001, 0b10)
	long := append(binary.AppendUvarint(nil, 200), make([]byte, 25)...)
	long[len(long)-1] = 0b10000000
	class("C", long...)
	b.WriteByte(blockDone)
	return b.Bytes()
}

func TestJaCoCo(t *testing.T) {
	asked := make(chan []byte, 2)
	addr := answering(t, "tcp", "127.0.0.1:0", func(c net.Conn) {
		command := make([]byte, len(dumpCommand))
		_, _ = io.ReadFull(c, command)
		asked <- command
		_, _ = c.Write(said())
		_, _ = io.Copy(io.Discard, c) // the agent waits for the next command
	})
	if got, want := covered(t, "jacoco:"+addr), []string{"a/B#0", "a/B#7", "a/B#9", "C#199"}; !slices.Equal(got, want) {
		t.Errorf("covered are %q", got)
	}
	if got := <-asked; !bytes.Equal(got, []byte{1, 0xC0, 0xC0, 0x10, 7, 0x40, 1, 0}) {
		t.Errorf("it is asked % x", got)
	}
}

func TestJaCoCoThatIsNone(t *testing.T) {
	for name, tt := range map[string]struct {
		said []byte
		want string
	}{
		"cut":             {said()[:40], "unexpected EOF"},
		"nothing":         {nil, "unexpected EOF"},
		"another version": {[]byte{blockHeader, 0xC0, 0xC0, 0x10, 0x06}, "JaCoCo 0.7.5"},
		"HTTP":            {[]byte("HTTP/1.1 400 Bad Request"), "is this JaCoCo's agent?"},
		"too many probes": {append([]byte{blockData, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 0xff, 0xff, 0xff, 0xff, 1), "probes"},
	} {
		if _, err := readDump(bytes.NewReader(tt.said)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error is %v", name, err)
		}
	}
	session := append([]byte{blockSession, 0, 0}, make([]byte, 16)...)
	if _, err := readDump(endless{session}); !errors.Is(err, errTooMuch) {
		t.Errorf("endless: error is %v", err)
	}
}

// endless says the same again and again.
type endless struct{ text []byte }

func (e endless) Read(p []byte) (n int, err error) {
	for n+len(e.text) <= len(p) {
		n += copy(p[n:], e.text)
	}
	return n, nil
}

func TestOpenWhatIsNone(t *testing.T) {
	for _, text := range []string{"jacoco:", "jacoco:6300", "jacoco:localhost:", "unix:"} {
		if _, err := Open(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
	s, err := Open("jacoco:127.0.0.1:1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Covered(t.Context()); err == nil || !strings.Contains(err.Error(), "output=tcpserver") {
		t.Errorf("error is %v", err)
	}
}

func FuzzJaCoCo(f *testing.F) {
	f.Add(said())
	f.Add([]byte{blockData, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 'a', 3, 7, blockDone})
	f.Fuzz(func(t *testing.T, text []byte) {
		items, err := readDump(bytes.NewReader(text))
		if err == nil && !bytes.Contains(text, []byte{blockDone}) {
			t.Error("it is never done")
		}
		if len(items) > 8*len(text) {
			t.Errorf("%d items of %d bytes", len(items), len(text))
		}
	})
}
