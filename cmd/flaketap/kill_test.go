package main

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"github.com/flaketap/flaketap/internal/testbed/demoapi"
	"github.com/flaketap/flaketap/store"
)

// lossAllowed is how long before a kill an answer may have come and yet not be stored. The promise is 50 ms, and is held
// to where the machine does nothing else; beside other tests, a process may not get a processor for longer than that.
func lossAllowed() time.Duration {
	if os.Getenv("FLAKETAP_LONG") != "" {
		return 50 * time.Millisecond
	}
	return time.Second
}

// TestKill kills the recorder with SIGKILL at any moment under load. Every exchange whose answer a client had some time
// before the kill must be in the recording, with --sync every one at all; the file must be whole, and replay.
func TestKill(t *testing.T) {
	b := newBench(t)
	url, stop := serveTruth(t, demoapi.Dials{})
	defer stop()
	rounds := 4
	if os.Getenv("FLAKETAP_LONG") != "" {
		rounds = 100
	}
	for i := range rounds {
		if i%2 == 1 {
			killOnce(t, b, url, "--sync")
		} else {
			killOnce(t, b, url)
		}
	}
}

// seen is an answer that a client had.
type seen struct {
	target string
	at     time.Time
}

func killOnce(t *testing.T, b *bench, url string, flags ...string) {
	t.Helper()
	db := filepath.Join(t.TempDir(), "killed.db")
	p := b.run(nil, append([]string{"record", "--target", url, "--listen", "127.0.0.1:0", "--db", db}, flags...)...)
	at := p.url()
	const clients = 8
	answers := make(chan seen, 1<<20)
	var wg sync.WaitGroup
	for conn := range clients {
		wg.Go(func() { askUntilGone(at, fmt.Sprintf("/health?client=%d&n=", conn), answers) })
	}
	pause := longestPause(t)
	// Some have had their answers for long when the kill comes, and it comes at any moment of a commit.
	first := <-answers
	all := []seen{first}
	for least := 3*lossAllowed()/2 + rand.N(100*time.Millisecond); all[len(all)-1].at.Sub(first.at) < least; {
		all = append(all, <-answers)
	}
	killed := time.Now()
	p.signal(syscall.SIGKILL)
	allowed := lossAllowed() + pause()
	wg.Wait()
	<-p.over
	close(answers)
	for s := range answers {
		all = append(all, s)
	}
	stored := storedTargets(t, db)
	missing := 0
	for _, s := range all {
		if sure := len(flags) > 0 || killed.Sub(s.at) > allowed; sure && !stored[s.target] {
			missing++
		}
	}
	if missing > 0 {
		t.Errorf("record %v: of %d answers that clients had, %d that must be stored are not", flags, len(all), missing)
	}
	if len(stored) > 0 {
		b.must("flaketap replay --db '" + db + "'")
	}
}

// longestPause syncs a file again and again until it is asked for the longest time between two syncs: a machine or a
// disk that stands still is not to be taken for a recorder that is slow.
func longestPause(t *testing.T) (ask func() time.Duration) {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "beat"))
	if err != nil {
		t.Fatal(err)
	}
	stop, answer := make(chan struct{}), make(chan time.Duration)
	go func() {
		defer f.Close()
		longest, last := time.Duration(0), time.Now()
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				answer <- max(longest, time.Since(last))
				return
			case <-tick.C:
			}
			_, _ = f.WriteAt([]byte("x"), 0)
			_ = f.Sync()
			now := time.Now()
			longest, last = max(longest, now.Sub(last)), now
		}
	}()
	return func() time.Duration {
		close(stop)
		return <-answer
	}
}

// askUntilGone asks for one number after the other, and passes on which answers came whole.
func askUntilGone(at, path string, answers chan<- seen) {
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	for i := 0; ; i++ {
		target := fmt.Sprint(path, i)
		resp, err := client.Get(at + target)
		if err != nil {
			return
		}
		_, err = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
		if err != nil {
			return
		}
		answers <- seen{target, time.Now()}
	}
}

// storedTargets returns the targets of the answered exchanges in a recording, whose file it checks.
func storedTargets(t *testing.T, path string) map[string]bool {
	t.Helper()
	s, err := store.OpenReadOnly(path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	stored := map[string]bool{}
	for e, err := range s.Exchanges() {
		if err != nil {
			t.Fatal(err)
		}
		stored[e.Request.Target] = e.Response != nil
	}
	db, err := bbolt.Open(path, 0, &bbolt.Options{ReadOnly: true, PreLoadFreelist: true, Timeout: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.View(func(tx *bbolt.Tx) error {
		var all error
		for err := range tx.Check() {
			all = errors.Join(all, err)
		}
		return all
	}); err != nil {
		t.Errorf("the file is damaged: %v", err)
	}
	return stored
}
