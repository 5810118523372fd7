package hotspot

import (
	"net"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
)

func TestCatches(t *testing.T) {
	for status, want := range map[string]bool{
		"Name:\tjava\nSigIgn:\t0000000000000004\nSigCgt:\t2000000181005ccf\n": true,
		"Name:\tjava\nSigCgt:\t2000000181005ccb\n":                            false,
		"Name:\tjava\n": false,
		"":              false,
	} {
		if catches(status, syscall.SIGQUIT) != want {
			t.Errorf("%q: not %t", status, want)
		}
	}
}

// A machine that has its socket is asked there; what it says that is no dump is an error.
func TestDump(t *testing.T) {
	socket := filepath.Join("/tmp", ".java_pid"+strconv.Itoa(os.Getpid()))
	for answer, want := range map[string]string{"0\n\"main\" #1\n": "\"main\" #1\n", "101\nno such command\n": "", "": ""} {
		ln, err := net.Listen("unix", socket)
		if err != nil {
			t.Fatal(err)
		}
		asked := make(chan string, 1)
		go func() {
			defer close(asked)
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			defer conn.Close()
			text := make([]byte, 64)
			n, _ := conn.Read(text)
			asked <- string(text[:n])
			_, _ = conn.Write([]byte(answer))
		}()
		got, err := dump(os.Getpid())
		if got != want || (err != nil) != (want == "") {
			t.Errorf("%q: %q, %v", answer, got, err)
		}
		if text := <-asked; text != "1\x00threaddump\x00\x00\x00\x00" {
			t.Errorf("asked %q", text)
		}
		ln.Close()
	}
}
