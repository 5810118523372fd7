package main

import (
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/flaketap/flaketap/internal/testbed/needs"
)

// stalled runs a recorder on a disk that takes half a second for each sync, which strace has it wait for. The recorder is the
// process itself, strace beside it.
func stalled(t *testing.T, args ...string) *process {
	t.Helper()
	strace, err := exec.LookPath("strace")
	if err == nil {
		err = exec.Command(strace, "-D", "-f", "-o", "/dev/null", "true").Run()
	}
	needs.Optional(t, fmt.Sprintf("strace that may trace (%v)", err), err == nil)
	return newBench(t).run(func(cmd *exec.Cmd) {
		tool := cmd.Path
		cmd.Path = strace
		cmd.Args = append([]string{"strace", "-D", "-f", "-qq", "-o", "/dev/null", "-e", "trace=fdatasync",
			"-e", "inject=fdatasync:delay_enter=500000", tool}, args...)
	}, args...)
}

// askTogether has clients ask for answers of so many bytes, and returns how many came. Each has to be whole.
func askTogether(t *testing.T, url string, clients, each, size int) (answered int64) {
	t.Helper()
	var n atomic.Int64
	var wg sync.WaitGroup
	for range clients {
		wg.Go(func() {
			client := &http.Client{Transport: &http.Transport{}}
			defer client.CloseIdleConnections()
			for range each {
				resp, err := client.Get(url)
				if err != nil {
					t.Error(err)
					return
				}
				if got, err := io.Copy(io.Discard, resp.Body); got != int64(size) || err != nil {
					t.Errorf("%d bytes of an answer, %v", got, err)
				}
				resp.Body.Close()
				n.Add(1)
			}
		})
	}
	wg.Wait()
	return n.Load()
}

// While the disk stands still, clients wait and nothing is lost; with --on-overload drop they go on: what there is no room
// for passes, is counted, and is told.
func TestStalledDisk(t *testing.T) {
	answer := make([]byte, 10_000)
	rand.Read(answer)
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", strconv.Itoa(len(answer)))
		_, _ = w.Write(answer)
	}))
	defer api.Close()
	for _, c := range []struct {
		overload string
		each     int // of 8 clients: 8 MB or 40 MB, where some 4 may wait
	}{{"wait", 100}, {"drop", 500}} {
		p := stalled(t, "record", "--on-overload", c.overload, "--listen", "127.0.0.1:0", "--target", api.URL)
		answered := askTogether(t, p.url(), 8, c.each, len(answer))
		p.signal(os.Interrupt)
		p.exit(0)
		recorded, dropped := len(p.recorded()), 0
		if c.overload == "drop" {
			var err error
			if dropped, err = strconv.Atoi(p.wait(`(\d+) more passed but were dropped`)); err != nil || dropped == 0 {
				t.Errorf("%d dropped, %v", dropped, err)
			}
		}
		if recorded == 0 || answered != int64(8*c.each) || int64(recorded+dropped) != answered {
			t.Errorf("%s: %d answered, %d recorded, %d dropped\n%s", c.overload, answered, recorded, dropped, p.out)
		}
	}
}
