package hub_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/flaketap/flaketap/capture/hub"
	"github.com/flaketap/flaketap/capture/hub/server"
	"github.com/flaketap/flaketap/capture/ship"
)

// The disk of a hub is full before the hub has taken what it may, by what recorders send or by what others write: the
// hub refuses what is new, says so, and keeps what it has; once there is room it goes on by itself.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=8m"); err != nil {
		t.Skip("a small disk needs the rights to mount one: ", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
	s := start(t, server.Options{Dir: dir, MaxBytes: 1 << 30})
	l := dial(t, s.Address()+"/n", dir)
	small := recording(t, "a")
	record(t, small, 10, "{}")
	ending(t, small)
	send(t, small, l, "a")

	large := recording(t, "b")
	record(t, large, 1, noise(20<<20)) // which is packed to half of that
	ending(t, large)
	shipper := refusedForRoom(t, large, l)
	if status, err := l.Status(t.Context(), time.Now()); err != nil || len(status.Findings) == 0 ||
		!strings.Contains(strings.Join(status.Findings, "\n"), "are taken: collect what is there") {
		t.Errorf("the hub says %v, %v", status.Findings, err)
	}
	if err := unix.Mount("", dir, "", unix.MS_REMOUNT, "size=64m"); err != nil {
		t.Fatal(err)
	}
	if err := shipper.Finish(t.Context(), time.Minute); err != nil {
		t.Errorf("with room: %v", err)
	}

	before := most(t, l)
	others := filepath.Join(dir, "of-others")
	if err := os.WriteFile(others, make([]byte, room(t, dir)), 0o600); err != nil {
		t.Fatal(err)
	}
	for most(t, l) >= before { // it looks now and then
		time.Sleep(10 * time.Millisecond)
	}
	late := recording(t, "c")
	record(t, late, 2, noise(1<<20))
	ending(t, late)
	shipper = refusedForRoom(t, late, l)
	if err := os.Remove(others); err != nil {
		t.Fatal(err)
	}
	if err := shipper.Finish(t.Context(), time.Minute); err != nil {
		t.Errorf("with room again: %v", err)
	}
	all, passes := collected(t, l, filepath.Join(t.TempDir(), "all.db"))
	counts(t, all, passes, map[string]int{"a": 10, "b": 1, "c": 2})
}

// refusedForRoom begins to send, and returns once it was said that the hub is full.
func refusedForRoom(t *testing.T, source ship.Source, l *hub.Link) *ship.Shipper {
	t.Helper()
	var said sayings
	o := quick(strings.TrimSuffix(filepath.Base(source.Path()), ".db"))
	o.Say = said.say
	shipper, err := ship.Start(source, l, o)
	if err != nil {
		t.Fatal(err)
	}
	for said.count() == 0 {
		time.Sleep(time.Millisecond)
	}
	if first := said.first(); !strings.Contains(first, "is full") || !strings.Contains(first, "flaketap hub remove") {
		t.Errorf("it says %q", first)
	}
	return shipper
}

// room is how much can still be written to a disk, but for a little.
func room(t *testing.T, dir string) int64 {
	t.Helper()
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		t.Fatal(err)
	}
	return int64(s.Bavail)*int64(s.Bsize) - 64<<10
}

// most is how much a hub may take.
func most(t *testing.T, l *hub.Link) int64 {
	t.Helper()
	s, err := l.Status(t.Context(), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return s.Most
}
