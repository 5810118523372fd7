//go:build linux

package process

import (
	"os"
	"os/exec"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	const rest = " 7 3 3 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 4711 0 0 0\n"
	for _, tc := range []struct {
		name, stat string
		want       Process
		ok         bool
	}{
		{"plain", "12 (sh) S" + rest, Process{PID: 12, Parent: 7, Group: 3, Started: 4711}, true},
		{"a name with parentheses and blanks", "12 (a) R 1 (b)) S" + rest, Process{PID: 12, Parent: 7, Group: 3, Started: 4711}, true},
		{"ended", "12 (sh) Z" + rest, Process{PID: 12, Parent: 7, Group: 3, Started: 4711, Ended: true}, true},
		{"cut off", "12 (sh) S 7 3", Process{}, false},
		{"empty", "", Process{}, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, ok := parse(12, []byte(tc.stat))
			if diff := cmp.Diff(tc.want, got); diff != "" || ok != tc.ok {
				t.Errorf("ok %v, want %v; %s", ok, tc.ok, diff)
			}
		})
	}
}

func TestDescendants(t *testing.T) {
	all := slices.Values([]Process{{PID: 4, Parent: 3}, {PID: 2, Parent: 1}, {PID: 3, Parent: 2}, {PID: 9, Parent: 8},
		{PID: 8, Parent: 9}, {PID: 5, Parent: 2}})
	var pids []int
	for _, p := range Descendants(2, all) {
		pids = append(pids, p.PID)
	}
	if diff := cmp.Diff([]int{3, 5, 4}, pids); diff != "" {
		t.Error(diff)
	}
	if circle := Descendants(8, all); len(circle) != 2 {
		t.Errorf("a circle gives %v", circle)
	}
}

// A process that was started is there, and is its parent's.
func TestAll(t *testing.T) {
	cmd := exec.Command("cat")
	held, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(slices.Collect(All()), func(p Process) bool {
		return p.PID == cmd.Process.Pid && p.Parent == os.Getpid() && p.Started > 0 && !p.Ended
	})
	if at < 0 {
		t.Error("it is not among all")
	}
	if err := held.Close(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if p, ok := Find(cmd.Process.Pid); ok && p.Parent == os.Getpid() {
		t.Errorf("it has ended, and is found: %+v", p)
	}
}
