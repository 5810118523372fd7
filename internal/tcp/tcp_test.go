package tcp

import (
	"net"
	"testing"
)

func TestLoopback(t *testing.T) {
	for addr, want := range map[string]bool{"127.0.0.1:1": true, "127.9.9.9:1": true, "[::1]:1": true, "0.0.0.0:1": false, "[::]:1": false, "192.0.2.1:1": false} {
		a, err := net.ResolveTCPAddr("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		if got := Loopback(a); got != want {
			t.Errorf("%s: %v, want %v", addr, got, want)
		}
	}
	if Loopback(&net.UnixAddr{Name: "x"}) {
		t.Error("a Unix socket is taken for a loopback address")
	}
}

// TestNoConnection: relays that have no TCP connection below them ask all the same.
func TestNoConnection(t *testing.T) {
	Acknowledge(nil)
	if WasReset(nil) {
		t.Error("no connection was reset")
	}
	if to, ok := Redirected(nil); ok {
		t.Errorf("no connection was going to %s", to)
	}
}

// TestNotRedirected: a connection that was made to its listener was going nowhere else, in either family, whatever rules
// this machine has.
func TestNotRedirected(t *testing.T) {
	for _, addr := range []string{"127.0.0.1:0", "[::1]:0", "[::]:0"} {
		ln, err := net.Listen("tcp", addr)
		if err != nil {
			continue // there is no IPv6
		}
		defer ln.Close()
		c, err := (&net.Dialer{Control: SetMark}).Dial("tcp", ln.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		s, err := ln.Accept()
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if to, ok := Redirected(s.(*net.TCPConn)); ok {
			t.Errorf("at %s: was going to %s", addr, to)
		}
	}
}
