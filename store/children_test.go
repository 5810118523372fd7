//go:build unix

package store

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"github.com/flaketap/flaketap/exchange"
)

// children are what the test binary does in place of testing, by name.
var children = map[string]func(args []string) error{
	"record": recordChild,
	"close":  closeChild,
	"fill":   fillChild,
}

// child makes the command of a child.
func child(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), childEnv+"="+name)
	cmd.Stderr = os.Stderr
	return cmd
}

// recordChild records into args[0] until it is killed. It says "<n> <time>" of each exchange once it is handed over,
// and "- <time>" whenever it has synced a file of its own, so that a machine or a disk that stands still is not taken for
// a store that is slow.
func recordChild(args []string) error {
	s, err := Create(args[0], Options{Live: true, Sync: args[1] == "sync"})
	if err != nil {
		return err
	}
	if _, err := s.BeginPass(exchange.Pass{}); err != nil {
		return err
	}
	beat, err := os.Create(args[0] + ".beat")
	if err != nil {
		return err
	}
	go func() {
		for range time.Tick(time.Millisecond) {
			beat.WriteAt([]byte("x"), 0)
			beat.Sync()
			fmt.Printf("- %d\n", time.Now().UnixNano())
		}
	}()
	for i := 0; ; i++ {
		if err := s.Record(newExchange(i)); err != nil {
			return err
		}
		fmt.Printf("%d %d\n", i+1, time.Now().UnixNano())
	}
}

// TestKill kills a process that records, at any moment, and sees what it left: whole exchanges only, and each that was
// handed over 50 ms before, or with Sync each that was handed over at all.
func TestKill(t *testing.T) {
	rounds := 16
	switch {
	case os.Getenv("FLAKETAP_LONG") != "":
		rounds = 100
	case testing.Short():
		rounds = 4
	}
	for i := range rounds {
		mode := []string{"group", "sync"}[i%2]
		wait := time.Duration(rand.IntN(300)) * time.Millisecond
		if i%4 >= 2 {
			wait = time.Duration(rand.IntN(30)) * time.Millisecond // about when the file is made
		}
		t.Run(fmt.Sprintf("%s after %v", mode, wait), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "x.db")
			acked := killAfter(t, child("record", path, mode), wait, mode == "sync")
			checkLeft(t, path, acked)
		})
	}
}

// killAfter starts a recording child, kills it after a time and returns how many exchanges must be stored.
func killAfter(t *testing.T, cmd *exec.Cmd, wait time.Duration, sync bool) (acked int) {
	t.Helper()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	when := make(chan int64, 1)
	time.AfterFunc(wait, func() {
		when <- time.Now().UnixNano()
		cmd.Process.Kill()
	})
	var (
		times []int64
		beat  int64
		gap   int64 // the longest time between two signs of life
	)
	for lines := bufio.NewScanner(out); lines.Scan(); {
		n, text, _ := strings.Cut(lines.Text(), " ")
		at, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			continue // cut off in the middle
		}
		if beat > 0 {
			gap = max(gap, at-beat)
		}
		beat = at
		if n != "-" {
			times = append(times, at)
		}
	}
	cmd.Wait() // says that it was killed
	killed := <-when
	if beat > 0 {
		gap = max(gap, killed-beat)
	}
	// On its way to the disk an exchange may be held up as long four times: until the writer is woken, while it packs, and
	// in each of the two syncs of a commit.
	for _, at := range times {
		if sync || at < killed-int64(50*time.Millisecond)-4*gap {
			acked++
		}
	}
	t.Logf("killed after %d exchanges, %d of which must be stored; the longest pause was %v", len(times), acked, time.Duration(gap))
	return acked
}

// checkLeft checks what a killed process left behind.
func checkLeft(t *testing.T, path string, acked int) {
	t.Helper()
	s, err := Open(path, Options{})
	if acked == 0 && errors.Is(err, fs.ErrNotExist) {
		return // killed before there was a file
	}
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	n := 0
	for e, err := range s.Exchanges() {
		if err != nil {
			t.Fatal(err)
		}
		want := newExchange(n)
		if n++; e.Seq != uint64(n) || e.Request.Target != want.Request.Target || !bytes.Equal(e.Response.Body, want.Response.Body) {
			t.Fatalf("exchange %d is not what was recorded", n)
		}
		if seqs, err := s.ByFingerprint(exchange.Exact(want)); n%500 == 1 && (err != nil || len(seqs) != 1 || seqs[0] != e.Seq) {
			t.Fatalf("exchange %d is not in the index: %v, %v", n, seqs, err)
		}
	}
	if n < acked {
		t.Errorf("%d exchanges are stored, want %d at least", n, acked)
	}
	if err := s.db.View(func(tx *bbolt.Tx) error {
		var all error
		for err := range tx.Check() {
			all = errors.Join(all, err)
		}
		return all
	}); err != nil {
		t.Errorf("database is damaged: %v", err)
	}
	beginPass(t, s)
	if err := s.Record(newExchange(n)); err != nil {
		t.Fatal(err)
	}
	if err := s.Flush(); err != nil {
		t.Fatal(err)
	}
	if got := len(collect(t, s)); got != n+1 {
		t.Errorf("%d exchanges after one more, want %d", got, n+1)
	}
}

// closeChild records into args[0] until some of it was packed in a hurry, says how many exchanges there are, and closes.
func closeChild(args []string) error {
	s, err := Create(args[0], Options{Live: true})
	if err != nil {
		return err
	}
	if _, err := s.BeginPass(exchange.Pass{}); err != nil {
		return err
	}
	n := 0
	for forms := map[byte]int{}; forms[formS2] < 20; {
		for range 2000 {
			if err := s.Record(newExchange(n)); err != nil {
				return err
			}
			n++
		}
		if err := s.Flush(); err != nil {
			return err
		}
		if forms, err = blockForms(s); err != nil {
			return err
		}
	}
	fmt.Println(n)
	return s.Close()
}

// TestKillWhileClosing kills a process that packs again what came in a hurry: nothing of that may be missing.
func TestKillWhileClosing(t *testing.T) {
	for i := range 10 {
		path := filepath.Join(t.TempDir(), "x.db")
		cmd := child("close", path)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		line, err := bufio.NewReader(out).ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		recorded, err := strconv.Atoi(strings.TrimSpace(line))
		if err != nil {
			t.Fatal(err)
		}
		kill := time.AfterFunc(time.Duration(rand.IntN(5*i+1))*time.Millisecond, func() { cmd.Process.Kill() })
		cmd.Wait() // says that it was killed, if it was
		kill.Stop()
		checkLeft(t, path, recorded)
	}
}

// fillChild records into args[0] until the disk is full, or what stands for it: a limit on the size of a file. It says
// how many exchanges were stored before.
func fillChild(args []string) error {
	signal.Ignore(syscall.SIGXFSZ)
	limit := syscall.Rlimit{Cur: 3 << 20, Max: 3 << 20}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	s, err := Create(args[0], Options{})
	if err != nil {
		return err
	}
	if _, err := s.BeginPass(exchange.Pass{}); err != nil {
		return err
	}
	random := rand.NewChaCha8([32]byte{})
	for n := 1; ; n++ {
		e := newExchange(n)
		e.Response.Body = make([]byte, 5000)
		random.Read(e.Response.Body)
		err := s.Record(e)
		if err == nil {
			err = s.Flush()
		}
		if err != nil {
			if again := s.Record(newExchange(n)); again == nil || !strings.Contains(again.Error(), syscall.EFBIG.Error()) {
				return fmt.Errorf("recording after a failure gave %w", again)
			}
			if err := s.Close(); err == nil || !strings.Contains(err.Error(), syscall.EFBIG.Error()) {
				return fmt.Errorf("closing after a failure gave %w", err)
			}
			fmt.Println(n-1, err)
			return nil
		}
		if n > 10_000 {
			return errors.New("the limit on the size of files does not hold")
		}
	}
}

func TestDiskFull(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	out, err := child("fill", path).Output()
	if err != nil {
		t.Fatal(err)
	}
	var stored int
	if _, err := fmt.Sscan(string(out), &stored); err != nil || !strings.Contains(string(out), path) {
		t.Fatalf("the child said %q", out)
	}
	s, err := OpenReadOnly(path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if n := len(collect(t, s)); n != stored || n == 0 {
		t.Errorf("%d exchanges are left, want %d", n, stored)
	}
}
