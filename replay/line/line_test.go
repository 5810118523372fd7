package line

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

// mail passes messages from one end to the other, in memory.
type mail struct {
	out, in chan []byte
	broken  chan struct{} // closed when nothing passes any more
}

func newMail() (near, far *mail) {
	a, b, broken := make(chan []byte, 1<<16), make(chan []byte, 1<<16), make(chan struct{})
	return &mail{a, b, broken}, &mail{b, a, broken}
}

var errBroken = errors.New("a message is missing")

func (m *mail) Say(content []byte) error {
	select {
	case m.out <- content:
		return nil
	default:
		return errors.New("full")
	}
}

func (m *mail) Hear(ctx context.Context) ([]byte, error) {
	select {
	case <-m.broken:
		return nil, errBroken
	case <-ctx.Done():
		return nil, ctx.Err()
	case content := <-m.in:
		return content, nil
	}
}

// api answers each connection by serve, at an address of this machine.
func api(t *testing.T, serve func(net.Conn)) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			all.Go(func() {
				defer c.Close()
				serve(c)
			})
		}
	})
	t.Cleanup(func() { ln.Close(); all.Wait() })
	return ln.Addr().String()
}

// stretched is a line to an API.
type stretched struct {
	near    *Near
	mail    *mail
	addr    string        // where it is reached
	ended   chan struct{} // closed by a test whose API ends
	farOver chan error
}

func stretch(t *testing.T, to string) *stretched {
	t.Helper()
	near, far := newMail()
	s := &stretched{near: NewNear(near, func() {}), mail: near, ended: make(chan struct{}), farOver: make(chan error, 1)}
	f := NewFar(t.Context(), far)
	go func() {
		s.farOver <- f.Serve("http", func(ctx context.Context) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "tcp", to)
		}, s.ended, func() error { return errors.New("the API ended with exit status 3") })
	}()
	if scheme, err := s.near.Ready(t.Context()); err != nil || scheme != "http" {
		t.Fatalf("ready: %q, %v", scheme, err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.addr = ln.Addr().String()
	s.near.Carry(ln)
	t.Cleanup(s.near.Close)
	return s
}

func (s *stretched) dial(t *testing.T) *net.TCPConn {
	t.Helper()
	c, err := net.Dial("tcp", s.addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if err := c.SetDeadline(time.Now().Add(time.Minute)); err != nil { // which is used up by a failure alone
		t.Fatal(err)
	}
	return c.(*net.TCPConn)
}

// TestBytesAreThoseOfTheAPI: several connections at once, more bytes than a window has, and an end of one direction alone.
func TestBytesAreThoseOfTheAPI(t *testing.T) {
	s := stretch(t, api(t, func(c net.Conn) {
		all, err := io.ReadAll(c) // to the end of what is asked
		if err == nil {
			_, _ = c.Write(bytes.ToUpper(all))
		}
	}))
	var all sync.WaitGroup
	for i := range 8 {
		c := s.dial(t)
		asked := []byte(strings.Repeat(fmt.Sprintf("part %d, ", i), 40_000))
		all.Go(func() {
			if _, err := c.Write(asked); err != nil {
				t.Error(err)
			}
			if err := c.CloseWrite(); err != nil {
				t.Error(err)
			}
			if got, err := io.ReadAll(c); err != nil || !bytes.Equal(got, bytes.ToUpper(asked)) {
				t.Errorf("%d bytes came back of %d: %v", len(got), len(asked), err)
			}
		})
	}
	all.Wait()
	s.near.Close()
	if err := <-s.farOver; err != nil {
		t.Errorf("the far end: %v", err)
	}
}

// TestSlowReader: what a connection does not take holds up no other.
func TestSlowReader(t *testing.T) {
	s := stretch(t, api(t, func(c net.Conn) {
		_, _ = io.Copy(c, io.LimitReader(endless{}, 2<<20))
	}))
	stuck, read := s.dial(t), s.dial(t)
	if n, err := io.Copy(io.Discard, read); n != 2<<20 || err != nil {
		t.Errorf("%d bytes, %v", n, err)
	}
	if err := stuck.Close(); err != nil {
		t.Error(err)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

// TestBrokenOff: a connection that the API breaks off breaks off here, behind what it said before; and so does one to an
// API that takes none.
func TestBrokenOff(t *testing.T) {
	s := stretch(t, api(t, func(c net.Conn) {
		_, _ = c.Write([]byte("half"))
		_, _ = c.Read(make([]byte, 1))
		_ = c.(*net.TCPConn).SetLinger(0)
	}))
	c := s.dial(t)
	got := make([]byte, 4)
	if _, err := io.ReadFull(c, got); err != nil || string(got) != "half" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := c.Write([]byte("x")); err != nil {
		t.Error(err)
	}
	if n, err := c.Read(got); err == nil || errors.Is(err, io.EOF) {
		t.Errorf("%d bytes, %v", n, err)
	}
	refused, err := net.Dial("tcp", stretch(t, "127.0.0.1:0").addr)
	if err == nil { // else it broke off sooner still
		defer refused.Close()
		if n, err := refused.Read(got); err == nil || errors.Is(err, io.EOF) {
			t.Errorf("nobody listens: %d bytes, %v", n, err)
		}
	}
}

// TestBrokenOffBehindItsEnd: an API that ended its answer, and breaks off while it is still sent something, breaks off
// here.
func TestBrokenOffBehindItsEnd(t *testing.T) {
	answered := make(chan struct{})
	s := stretch(t, api(t, func(c net.Conn) {
		_ = c.(*net.TCPConn).CloseWrite()
		<-answered
		_ = c.(*net.TCPConn).SetLinger(0)
	}))
	c := s.dial(t)
	if all, err := io.ReadAll(c); err != nil || len(all) > 0 {
		t.Errorf("%d bytes, %v", len(all), err)
	}
	close(answered)
	if _, err := io.Copy(c, endless{}); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("it takes what it is sent: %v", err)
	}
}

// TestSaidBehindTheBreak: what one direction read before the other broke off may be said behind that.
func TestSaidBehindTheBreak(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	e := &end{messages: unheard{}, conns: map[uint32]*conn{}, dial: func(ctx context.Context) (net.Conn, error) {
		<-ctx.Done() // so that the connection is there all the while
		return nil, ctx.Err()
	}}
	defer e.close()
	defer cancel()
	for _, m := range []string{"n\x00\x00\x00\x01", "x\x00\x00\x00\x01", "d\x00\x00\x00\x01abc"} {
		if over, err := e.take(ctx, []byte(m)); over || err != nil {
			t.Errorf("%q: %v, %v", m, over, err)
		}
	}
}

// TestAPIEnds: why is said at the near end.
func TestAPIEnds(t *testing.T) {
	s := stretch(t, api(t, func(net.Conn) {}))
	close(s.ended)
	<-s.near.Over()
	var over Over
	if err := s.near.Why(); !errors.As(err, &over) || over.Why != "the API ended with exit status 3" || errors.Is(err, ErrLost) {
		t.Errorf("got %v", err)
	}
	if err := <-s.farOver; !errors.As(err, &over) {
		t.Errorf("the far end: %v", err)
	}
}

// TestLost: where a message is missing both ends are over, and connections break off.
func TestLost(t *testing.T) {
	s := stretch(t, api(t, func(c net.Conn) { _, _ = io.Copy(c, c) }))
	c := s.dial(t)
	got := make([]byte, 4)
	if _, err := c.Write([]byte("here")); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(c, got); err != nil {
		t.Fatal(err)
	}
	close(s.mail.broken)
	if _, err := c.Read(got); err == nil {
		t.Error("the connection goes on")
	}
	<-s.near.Over()
	if err := s.near.Why(); !errors.Is(err, ErrLost) {
		t.Errorf("near: %v", err)
	}
	if err := <-s.farOver; !errors.Is(err, ErrLost) {
		t.Errorf("far: %v", err)
	}
}

// TestLostMeanwhile: who waits for an API that gets ready is told that the line is lost.
func TestLostMeanwhile(t *testing.T) {
	near, _ := newMail()
	n := NewNear(near, func() {})
	defer n.Close()
	close(near.broken)
	if _, err := n.Ready(t.Context()); !errors.Is(err, ErrLost) {
		t.Errorf("got %v", err)
	}
}

// TestSettle: who asks whether all has come is answered by the far end, or told that the line is lost.
func TestSettle(t *testing.T) {
	s := stretch(t, api(t, func(net.Conn) {}))
	for range 3 {
		s.near.Settle()
	}
	if err := s.near.Why(); err != nil {
		t.Errorf("it is over: %v", err)
	}
	near, _ := newMail()
	n := NewNear(near, func() {})
	defer n.Close()
	settled := make(chan error)
	go func() {
		n.Settle()
		settled <- n.Why()
	}()
	close(near.broken)
	if err := <-settled; !errors.Is(err, ErrLost) {
		t.Errorf("nobody answers, and it says %v", err)
	}
}

// unheard are messages that nobody hears.
type unheard struct{}

func (unheard) Say([]byte) error                         { return nil }
func (unheard) Hear(ctx context.Context) ([]byte, error) { return nil, context.Cause(ctx) }

// FuzzTake: an end takes what it is given, or is over; it never waits, and holds no more than its windows.
func FuzzTake(f *testing.F) {
	f.Add([]byte("\x05n\x00\x00\x00\x01\x08d\x00\x00\x00\x01abc\x05e\x00\x00\x00\x01"))
	f.Add([]byte("\x09t\x00\x00\x00\x01\x00\x00\x00\x10\x05b\x00\x00\x00\x00\x07o\x00\x00\x00\x00hi"))
	f.Fuzz(func(t *testing.T, all []byte) {
		ours, theirs := net.Pipe()
		defer theirs.Close()
		e := &end{messages: unheard{}, conns: map[uint32]*conn{},
			dial: func(context.Context) (net.Conn, error) { return ours, nil }}
		defer e.close()
		for len(all) > 0 {
			n := min(int(all[0]), len(all)-1)
			if over, err := e.take(t.Context(), all[1:1+n]); over || err != nil {
				return
			}
			all = all[1+n:]
		}
	})
}
