package tcp

import (
	"errors"
	"io"
	"net"
	"testing"
)

// failing accepts nothing the first time.
type failing struct {
	net.Listener
	failed bool
}

func (f *failing) Accept() (net.Conn, error) {
	if !f.failed {
		f.failed = true
		return nil, errors.New("too many open files")
	}
	return f.Listener.Accept()
}

func TestEach(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		Each(&failing{Listener: l}, func(c net.Conn) {
			defer c.Close()
			_, _ = io.WriteString(c, "hello")
		})
	}()
	for range 2 {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(c); err != nil || string(got) != "hello" {
			t.Errorf("%q, %v", got, err)
		}
		c.Close()
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	<-ended
}
