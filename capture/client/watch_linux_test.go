package client

import (
	"net"
	"net/netip"
	"os/exec"
	"testing"
)

func TestParseConnection(t *testing.T) {
	for _, test := range []struct {
		line   string
		socket uint64
		to     string // "" where the line is no connection
	}{
		{"   1: 0100007F:A1B2 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1000        0 4711 1 0000000000000000", 4711, "127.0.0.1:8080"},
		{"   2: 0000000000000000FFFF00000100007F:A1B2 0000000000000000FFFF00000100007F:1F90 08 0:0 00:0 0 0 0 12 1", 12, "127.0.0.1:8080"},
		{"   3: 00000000000000000000000001000000:A1B2 00000000000000000000000001000000:0050 02 0:0 00:0 0 0 0 13 1", 13, "[::1]:80"},
		{"   4: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 99 1", 0, ""},
		{"   5: 0100007F:A1B2 0100007F:1F90 06 00000000:00000000 03:00000000 00000000     0        0 0 3", 0, ""},
		{"  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode", 0, ""},
		{"   6: 0100007F:A1B2 01zz007F:1F90 01 0:0 00:0 0 0 0 14 1", 0, ""},
		{"   7: 0100007F:A1B2 7F:1F90 01 0:0 00:0 0 0 0 15 1", 0, ""},
		{"", 0, ""},
	} {
		socket, to, ok := parseConnection([]byte(test.line))
		if ok != (test.to != "") || ok && (socket != test.socket || to.String() != test.to) {
			t.Errorf("%q is %d, %s, %t", test.line, socket, to, ok)
		}
	}
}

func FuzzParseConnection(f *testing.F) {
	f.Add([]byte("   1: 0100007F:A1B2 0100007F:1F90 01 0:0 00:0 0 0 0 4711 1"))
	f.Fuzz(func(t *testing.T, line []byte) {
		if socket, to, ok := parseConnection(line); ok && (socket == 0 || !to.IsValid() || to.Port() == 0) {
			t.Errorf("%q is %d, %s", line, socket, to)
		}
	})
}

// Of the connections of a machine those of a client are seen, and of these not the ones that it is to make.
func TestWatchSeesTheClientsConnections(t *testing.T) {
	var addrs []netip.AddrPort
	accepted := make(chan net.Conn, 3)
	for range 3 {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { ln.Close() })
		addrs = append(addrs, ln.Addr().(*net.TCPAddr).AddrPort())
		go func() {
			if c, err := ln.Accept(); err == nil {
				accepted <- c
			}
		}()
	}
	elsewhere, err := net.Dial("tcp", addrs[2].String()) // by this process
	if err != nil {
		t.Fatal(err)
	}
	defer elsewhere.Close()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not here")
	}
	client := exec.Command(bash, "-c", `exec 3<>/dev/tcp/127.0.0.1/$0 4<>/dev/tcp/127.0.0.1/$1; read -r line <&3`,
		portOf(addrs[0]), portOf(addrs[1]))
	f, err := startFamily(client)
	if err != nil {
		t.Fatal(err)
	}
	var held []net.Conn
	for range 3 {
		held = append(held, <-accepted)
	}
	w := &Watch{Own: []uint16{addrs[1].Port()}}
	known := w.look(f, nil)
	w.look(f, known)
	if seen := w.Seen(); len(seen) != 1 || seen[0] != (Sighting{addrs[0], 1}) {
		t.Errorf("seen are %v, want one connection to %s", seen, addrs[0])
	}
	for _, c := range held {
		c.Close()
	}
	_ = client.Wait()
}

func portOf(a netip.AddrPort) string {
	_, port, _ := net.SplitHostPort(a.String())
	return port
}
