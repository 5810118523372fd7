package main

import (
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/flaketap/flaketap/internal/testbed/needs"
)

// apart is a network of its own, with a way out of it that a witness sees: what takes it ends at the other end of a pair
// of devices, so that nothing goes further either way.
const apart = `set -e
ip link add out address 02:00:00:00:00:01 type veth peer name far address 02:00:00:00:00:02
ip link set lo up
ip link set out up
ip link set far up
ip address add 198.18.0.1/30 dev out
ip address add fd00::1/64 dev out nodad
ip neighbor add 198.18.0.2 lladdr 02:00:00:00:00:02 dev out
ip neighbor add fd00::2 lladdr 02:00:00:00:00:02 dev out
ip route add default via 198.18.0.2
ip -6 route add default via fd00::2
`

// Of an API that asks for names, and sends to addresses of other machines by TCP, UDP and raw sockets, as a daemon too,
// no packet leaves the machine, however its connections are led: its sockets duplicated, their addresses rewritten as
// within the limits of a container, or in a network of its own. By itself it sends some, and the same witness sees them.
func TestMockNothingLeaves(t *testing.T) {
	bin := python(t)
	b := newBench(t)
	b.write("apart.sh", []byte(apart))
	if out, status := b.sh("unshare -rn sh apart.sh"); status != 0 {
		t.Skipf("no network of its own can be had here:\n%s", out)
	}
	b.write("run.sh", []byte(apart+`export RES_OPTIONS='timeout:1 attempts:1'
exec `+bin+"/python "+clientSource(t, "witness.py")+` "$MOCKED" "$ITSELF"
`))
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	_, nested := b.sh("unshare -rn unshare -rn true")
	for _, way := range []struct {
		name, within, engine string
		can                  bool
	}{
		{"duplicate", "", "seccomp", duplicates()},
		{"rewrite", asContained + "=1 '" + self + "' ", "seccomp", true},
		{"namespace", "", "namespace", nested == 0},
	} {
		t.Run(way.name, func(t *testing.T) {
			needs.Optional(t, "a system that lets connections be led so", way.can)
			own := *b
			own.t = t
			own.nothingLeaves(way.within+"flaketap mock serve --intercept "+way.engine, bin+"/python "+clientSource(t, "outward.py"))
		})
	}
}

// duplicates reports whether a process may have descriptors of another one, which limits of containers forbid.
func duplicates() bool {
	self, err := unix.PidfdOpen(os.Getpid(), 0)
	if err != nil {
		return false
	}
	defer unix.Close(self)
	fd, err := unix.PidfdGetfd(self, 0, 0)
	if err == nil {
		unix.Close(fd)
	}
	return err == nil
}

// nothingLeaves wants that of packets of some calls, with mocks that a command serves, and by themselves.
func (b *bench) nothingLeaves(serve, calls string) {
	b.t.Helper()
	const ended = " sh -c 'until test -s $0; do sleep 0.05; done' "
	b.must("rm -f mocked itself")
	out := b.must("unshare -rn sh run.sh", "MOCKED="+serve+" --start 'exec "+calls+" mocked' --"+ended+"mocked", "ITSELF="+calls+" itself;"+ended+"itself")
	var left []string
	for line := range strings.Lines(out) {
		if to, found := strings.CutPrefix(line, "left for:"); found {
			left = append(left, to)
		}
	}
	if len(left) != 2 || strings.TrimSpace(left[0]) != "" {
		b.t.Fatalf("with mocks packets left for%q\n%s", left, out)
	}
	if !strings.Contains(out, "rates.example.com:443: connected to") {
		b.t.Errorf("the calls were not led:\n%s", out)
	}
	for _, to := range []string{"192.0.2.10", "192.0.2.53", "2001:db8::10", "192.0.2.11", "192.0.2.12",
		"192.0.2.13", "127.0.0.9", "224.0.0.22", "ff0e::77"} {
		if !strings.Contains(left[1], to) {
			b.t.Errorf("the witness saw none that left for %s without mocks: %s", to, left[1])
		}
	}
}
