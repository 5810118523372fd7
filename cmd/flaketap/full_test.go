package main

import (
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strconv"
	"syscall"
	"testing"
)

// asksWhenFull is how many answers of 16 kB are asked for: more than fit into the files that the test allows.
const asksWhenFull = 400

// fullRecorder runs a recorder whose files cannot grow beyond two megabytes, or four: shells differ. It meets
// them as it would a full disk.
func fullRecorder(t *testing.T, flags string) *process {
	t.Helper()
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := make([]byte, 16<<10)
		rand.Read(body) // nothing that compresses
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		_, _ = w.Write(body)
	}))
	t.Cleanup(api.Close)
	return newBench(t).run(func(cmd *exec.Cmd) {
		cmd.Path, cmd.Args = "/bin/sh", []string{"sh", "-c",
			"ulimit -f 4096; exec flaketap record --listen 127.0.0.1:0 --target " + api.URL + " " + flags}
	})
}

// askOften asks until the recorder is gone and returns how many answers came. Each of them has to be whole.
func askOften(t *testing.T, url string) (answered int) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	for range asksWhenFull {
		resp, err := client.Get(url)
		if err != nil {
			break
		}
		_, err = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		if err != nil {
			t.Fatalf("answer %d is not whole: %v", answered+1, err)
		}
		answered++
	}
	return answered
}

// Where the recording cannot grow, the recorder stops, and says what is kept; no client is cut off within an answer.
func TestFullDiskStops(t *testing.T) {
	p := fullRecorder(t, "")
	answered := askOften(t, p.url())
	p.exit(1)
	if answered == asksWhenFull {
		t.Error("the recorder went on")
	}
	kept := len(p.recorded())
	if kept == 0 || kept >= answered {
		t.Errorf("%d answers came and %d are kept", answered, kept)
	}
	p.says(1, `flaketap: stopping, because writing the recording failed: .*file too large`)
	// A request that met the end of the recorder counts too, though no answer came.
	lost, err := strconv.Atoi(p.wait(fmt.Sprintf(`flaketap: %d exchanges recorded in flaketap\.db, (\d+) more passed but could not be stored`, kept)))
	if err != nil || lost < answered-kept || lost > answered-kept+1 {
		t.Errorf("%d answers came, %d are kept, %d are said to be lost", answered, kept, lost)
	}
	p.says(1, `could not be stored: .*; free some disk space, or record into another file`)
	p.says(0, `goroutine|SIGXFSZ`)
}

// Where the user wants it, what cannot be stored passes all the same, is counted, and is told of once.
func TestFullDiskPasses(t *testing.T) {
	p := fullRecorder(t, "--on-store-error=pass")
	answered := askOften(t, p.url())
	if answered != asksWhenFull {
		t.Errorf("only %d answers came", answered)
	}
	p.signal(syscall.SIGTERM)
	p.exit(0)
	kept := len(p.recorded())
	if kept == 0 || kept >= answered {
		t.Errorf("%d answers came and %d are kept", answered, kept)
	}
	p.says(1, `flaketap: writing the recording failed, traffic continues unrecorded: .*file too large`)
	p.says(1, fmt.Sprintf(`flaketap: %d exchanges recorded in flaketap\.db, %d more passed but could not be stored`, kept, answered-kept))
}

// A client's status is its own, whatever became of the recording, where the user wants it to go on.
func TestFullDiskClient(t *testing.T) {
	for flags, status := range map[string]int{"": 1, "--on-store-error=pass": 4} {
		p := fullRecorder(t, flags+` -- sh -c 'i=0; while [ $i -lt 300 ]; do curl -s -o /dev/null $FLAKETAP_URL; i=$((i+1)); done; exit 4'`)
		p.exit(status)
	}
}
