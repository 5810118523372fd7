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
}
