package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/waits/webdriver"
)

// A recorder that is killed in its second run leaves the first, and while it runs no other one writes to its file.
func TestWaitsRecordKilled(t *testing.T) {
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	driver, session, second := filepath.Join(dir, "chromedriver"), filepath.Join(dir, "session.json"), filepath.Join(dir, "second")
	script := "#!/bin/sh\nFLAKETAP_TEST_AS_DRIVER=yes exec '" + own + "' \"$@\"\n"
	if err := os.WriteFile(driver, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	args := []string{"waits", "record", "--driver", driver, "--out", session, "--", "env", "FLAKETAP_TEST_AS_PAGES=" + second, own}
	c := exec.CommandContext(t.Context(), program(t), args...)
	var said strings.Builder
	c.Stderr = &said
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	end := time.Now().Add(time.Minute)
	for !exists(second + ".2") {
		if time.Now().After(end) {
			_ = c.Process.Kill()
			t.Fatalf("no second run: %v\n%s", c.Wait(), said.String())
		}
		time.Sleep(5 * time.Millisecond)
	}
	out, err := exec.CommandContext(t.Context(), program(t), args...).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "already exists; --force overwrites it") || strings.Contains(string(out), "run 1 of") {
		t.Errorf("another recorder: %v\n%s", err, out)
	}
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait() // it was killed
	if s, err := webdriver.ReadSession(session); err != nil || len(s.Runs) != 1 {
		t.Errorf("killed in its second run: %v, %+v", err, s)
	}
}

// playDriver answers as a chromedriver until what started it is gone.
func playDriver(args []string) {
	port := ""
	for _, arg := range args {
		if text, ok := strings.CutPrefix(arg, "--port="); ok {
			port = text
		}
	}
	go whileParentLives()
	panic(http.ListenAndServe("127.0.0.1:"+port, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/session" {
			fmt.Fprint(w, `{"value":{"sessionId":"s1","capabilities":{"browserName":"chrome","browserVersion":"156.0"}}}`)
			return
		}
		fmt.Fprint(w, `{"value":null}`)
	})))
}

// playPages asks for a page's title, and says which run it is in a file. The second does not end.
func playPages(marks string) {
	at := os.Getenv("SELENIUM_REMOTE_URL")
	for _, ask := range []struct{ method, path string }{{"POST", "/session"}, {"GET", "/session/s1/title"}, {"DELETE", "/session/s1"}} {
		r, err := http.NewRequest(ask.method, at+ask.path, strings.NewReader("{}"))
		if err != nil {
			panic(err)
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			panic(err)
		}
		_, _ = io.Copy(io.Discard, resp.Body) // nobody reads it
		resp.Body.Close()
	}
	mark, again := marks+".1", exists(marks+".1")
	if again {
		mark = marks + ".2"
	}
	if err := os.WriteFile(mark, nil, 0o600); err != nil {
		panic(err)
	}
	if again {
		whileParentLives()
	}
	os.Exit(0)
}

// whileParentLives ends the process with the one that started it.
func whileParentLives() {
	for parent := os.Getppid(); os.Getppid() == parent; {
		time.Sleep(10 * time.Millisecond)
	}
	os.Exit(1)
}
