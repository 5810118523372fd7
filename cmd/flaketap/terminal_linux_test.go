package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// runAtTerminal runs flaketap as the foreground job of a terminal of its own, and returns what is typed into.
func (b *bench) runAtTerminal(args ...string) (*process, *os.File) {
	b.t.Helper()
	keyboard, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		b.t.Fatal(err)
	}
	if err := unix.IoctlSetPointerInt(int(keyboard.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		b.t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(int(keyboard.Fd()), unix.TIOCGPTN)
	if err != nil {
		b.t.Fatal(err)
	}
	if err := unix.IoctlSetWinsize(int(keyboard.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 40, Col: 160}); err != nil {
		b.t.Fatal(err)
	}
	terminal, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		b.t.Fatal(err)
	}
	cmd := exec.Command(filepath.Join(b.dir, ".bin", "flaketap"), args...)
	cmd.Dir, cmd.Env = b.dir, b.env
	cmd.Stdin, cmd.Stdout, cmd.Stderr = terminal, terminal, terminal
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 0}
	return b.launch(cmd, keyboard, terminal), keyboard
}

func typed(t *testing.T, keyboard *os.File, text string) {
	t.Helper()
	if _, err := keyboard.WriteString(text); err != nil {
		t.Fatal(err)
	}
}

const ctrlC = "\x03"

// At a terminal, Ctrl-C reaches the client once, and the client may read what is typed.
func TestTerminalClient(t *testing.T) {
	b := newBench(t)
	api, _ := hangingAPI(t)
	p, keyboard := b.runAtTerminal("record", "--target", api, "--listen", "127.0.0.1:0", "--", "sh", "-c",
		`trap 'echo got-int' INT; trap 'echo got-term' TERM; curl -s $FLAKETAP_URL/a; echo ready
		 while :; do read line && echo "read-$line" && test "$line" = end && exit 5; done`)
	p.wait("ready")
	typed(t, keyboard, "word\n")
	p.wait("read-word")
	typed(t, keyboard, ctrlC)
	p.wait("got-int")
	p.wait("waiting for the client to exit")
	typed(t, keyboard, "end\n")
	p.exit(5)
	p.says(1, "got-int")
	p.says(0, "got-term")
	p.says(1, "1 exchange recorded")
}

// A signal to the recorder alone reaches all that the client started at a terminal too.
func TestTerminalDescendants(t *testing.T) {
	b := newBench(t)
	api, _ := hangingAPI(t)
	p, _ := b.runAtTerminal("record", "--target", api, "--listen", "127.0.0.1:0", "--", "sh", "-c",
		`sleep 1000 & sh -c 'sleep 1000 & echo ready; wait'; wait`)
	p.wait("ready")
	p.signal(syscall.SIGTERM)
	p.exit(143) // once nobody has the terminal open
}

// At a terminal a line says how the recording goes, without the secrets in what it shows. Elsewhere there is none.
func TestTerminalStatusLine(t *testing.T) {
	b := newBench(t)
	api, _ := hangingAPI(t)
	p, keyboard := b.runAtTerminal("record", "--target", api, "--listen", "127.0.0.1:0")
	resp, err := http.Get(p.url() + "/a?token=hunter2&page=7")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	p.wait(`1 exchange \(\d+/s\), \d+ B, \d connections?, 0 faults \| GET 200 /a\?token=secret:[0-9a-f]{12}&page=7`)
	typed(t, keyboard, ctrlC)
	p.exit(0)
	p.wait(`\r\x1b\[Kflaketap: 1 exchange recorded in flaketap\.db`)
	if text := p.out.String(); strings.Contains(text, "hunter2") {
		t.Errorf("the secret is shown: %q", text)
	}

	b = newBench(t)
	p = b.run(nil, "record", "--target", api, "--listen", "127.0.0.1:0")
	get(t, p.url(), "/a")
	p.signal(syscall.SIGINT)
	p.exit(0)
	p.says(0, `\x1b|/s\)`)
}

// At a terminal --unsafe ask asks about each operation that may change something, once for all runs.
func TestTerminalAsk(t *testing.T) {
	var deletes atomic.Int32
	api := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.Method == "DELETE" {
			deletes.Add(1)
		}
	}))
	defer api.Close()
	b := newBench(t)
	p := b.run(nil, "record", "--target", api.URL, "--listen", "127.0.0.1:0")
	get(t, p.url(), "/a")
	for _, method := range []string{"DELETE", "PUT"} {
		r, err := http.NewRequest(method, p.url()+"/a", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
	}
	p.signal(syscall.SIGINT)
	p.exit(0)
	p, keyboard := b.runAtTerminal("replay", "--runs", "2", "--unsafe", "ask")
	p.wait(`send DELETE /a to http://\S+, 1 request per run\? `)
	typed(t, keyboard, "n\n")
	p.wait(`send PUT /a to `)
	typed(t, keyboard, "y\n")
	p.exit(0)
	p.wait(`run 2 of 2: 2 sent, .* 1 skipped \(the user does not want it sent\)`)
	if n := deletes.Load(); n != 1 {
		t.Errorf("%d DELETE requests, want the recorded one", n)
	}
}

// When flaketap is killed, its client ends with all that it started, at a terminal and elsewhere.
func TestTerminalClientKilledWithUs(t *testing.T) {
	api, _ := hangingAPI(t)
	b := newBench(t)
	led := []string{"--intercept", "env", "--start", b.frail(""), "--ready", "http://127.0.0.1:{port}/health"}
	for name, args := range map[string][]string{
		"record": {"record", "--target", api, "--listen", "127.0.0.1:0"},
		"serve":  append([]string{"mock", "serve"}, led...),
		"search": append([]string{"mock", "search", "--out", "found"}, led...),
	} {
		for _, terminal := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, terminal %t", name, terminal), func(t *testing.T) {
				b := &bench{t: t, dir: b.dir, env: b.env}
				pipe := fmt.Sprintf("%s-%t", name, terminal)
				up, over := b.hold(pipe)
				// Until somebody watches over it, it would not be ended.
				watched := `until grep -qszx -e "-\{0,1\}$$" $(grep -lszx flaketap-guard /proc/[0-9]*/cmdline) /dev/null; do sleep 0.02; done; `
				args := append(slices.Clone(args), "--", "sh", "-c", watched+`exec >`+pipe+` 2>&1; sh -c 'sleep 1000; true' & wait`)
				var p *process
				if terminal {
					p, _ = b.runAtTerminal(args...)
				} else {
					p = b.run(nil, args...)
				}
				await(t, up)
				p.signal(syscall.SIGKILL)
				<-p.over
				await(t, over)
			})
		}
	}
}
