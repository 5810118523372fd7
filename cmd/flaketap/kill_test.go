package main

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"syscall"
	"testing"
	"time"

	"github.com/flaketap/flaketap/internal/demoapi"
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

// TestKill kills the recorder with SIGKILL under load. Every exchange whose answer the client had some time before the
// kill must be in the recording, and the recording must replay.
func TestKill(t *testing.T) {
	b := newBench(t)
	url, stop := serveTruth(t, demoapi.Dials{})
	defer stop()
	rounds := 3
	if os.Getenv("FLAKETAP_LONG") != "" {
		rounds = 30
	}
	for range rounds {
		killOnce(t, b, url)
	}
}

func killOnce(t *testing.T, b *bench, url string) {
	t.Helper()
	db := filepath.Join(t.TempDir(), "killed.db")
	cmd := exec.Command(filepath.Join(b.dir, ".bin", "flaketap"), "record", "--target", url, "--listen", "127.0.0.1:0", "--db", db)
	cmd.Env = b.env
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(stderr).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	addr := regexp.MustCompile(`recording (\S+) ->`).FindStringSubmatch(line)
	if addr == nil {
		t.Fatalf("the first line is %q", line)
	}
	answered := make(chan time.Time, 1<<20)
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		client := &http.Client{Transport: &http.Transport{}}
		defer client.CloseIdleConnections()
		for {
			resp, err := client.Get("http://" + addr[1] + "/health")
			if err != nil {
				return
			}
			_, err = io.Copy(io.Discard, resp.Body)
			_ = resp.Body.Close()
			if err != nil {
				return
			}
			answered <- time.Now()
		}
	}()
	var times []time.Time
	for len(times) < 300 || times[len(times)-1].Sub(times[0]) < 3*lossAllowed()/2 {
		times = append(times, <-answered)
	}
	killed := time.Now()
	if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	<-gone

	must := uint64(0)
	for _, at := range times {
		if killed.Sub(at) > lossAllowed() {
			must++
		}
	}
	s, err := store.OpenReadOnly(db)
	if err != nil {
		t.Fatal(err)
	}
	rec, err := s.Recording()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if rec.Count < must {
		t.Errorf("%d exchanges were answered %v before the kill, the recording holds %d", must, lossAllowed(), rec.Count)
	}
	if rec.Count > 0 {
		b.must("flaketap replay --db '" + db + "'")
	}
}
