package intercept

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/internal/process"
	"golang.org/x/sys/unix"
)

// After ten thousand connections nothing is held that was not before, and none was refused.
func TestTenThousandConnections(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ways(t, func(t *testing.T, open func(Options) *world) {
		w := open(Options{})
		descriptors := func() int {
			all, err := os.ReadDir("/proc/self/fd")
			if err != nil {
				t.Fatal(err)
			}
			return len(all)
		}
		w.run(self, "dial", "10", "203.0.113.7:80")
		before := descriptors()
		w.run(self, "dial", "10000", "203.0.113.7:80")
		// The server of the service closes its ends as it comes to see that the clients have gone.
		for deadline := time.Now().Add(time.Minute); descriptors() > before+5; runtime.Gosched() {
			if time.Now().After(deadline) {
				t.Fatalf("%d descriptors, %d before", descriptors(), before)
			}
		}
		if len(w.services) != 1 || len(w.Refused()) != 0 {
			t.Errorf("services %q, refused %v", w.services, w.Refused())
		}
	})
}

// everywhere is a server at a port of every address of this machine.
func everywhere(t *testing.T) (port int) {
	t.Helper()
	l, err := net.Listen("tcp", ":0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "here")
	}), ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { server.Close() })
	return l.Addr().(*net.TCPAddr).Port
}

// A service's port may be taken on this machine, at every address.
func TestPortTaken(t *testing.T) {
	ways(t, func(t *testing.T, open func(Options) *world) {
		port := everywhere(t)
		got := open(Options{}).client(fmt.Sprintf("http://rates.example.com:%d/", port), fmt.Sprintf("http://203.0.113.7:%d/", port),
			fmt.Sprintf("http://127.0.0.1:%d/", port))
		if want := fmt.Sprintf("200 rates.example.com:%d said rates.example.com:%[1]d\n200 203.0.113.7:%[1]d said 203.0.113.7:%[1]d\n"+
			"200 here\n", port); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

// The host name of this machine is this machine, where its file of hosts says so; otherwise it is a service as any name.
func TestOwnHostName(t *testing.T) {
	name, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	hosts, err := os.ReadFile("/etc/hosts")
	if err != nil {
		t.Fatal(err)
	}
	ways(t, func(t *testing.T, open func(Options) *world) {
		port := everywhere(t)
		w := open(Options{})
		got := w.client(fmt.Sprintf("http://%s:%d/", name, port))
		want := fmt.Sprintf("200 %s:%d said %[1]s:%[2]d\n", strings.ToLower(name), port)
		for line := range strings.Lines(string(hosts)) {
			line, _, _ = strings.Cut(line, "#")
			for i, word := range strings.Fields(line) {
				if i > 0 && strings.EqualFold(word, name) {
					want = "200 here\n"
				}
			}
		}
		if !strings.EqualFold(got, want) || len(w.Refused()) != 0 {
			t.Errorf("got %q, want %q; refused %v", got, want, w.Refused())
		}
	})
}

// A process that is ended while it connects was not refused anything.
func TestEndedWhileItConnects(t *testing.T) {
	bash, err := exec.LookPath("bash") // which has one thread
	if err != nil {
		t.Skip(err)
	}
	pid := make(chan int, 1)
	ended := make(chan struct{})
	i, err := openSeccomp(Options{Self: asStage(t), Way: Rewrite, Serve: func(Service, net.Listener) {
		defer close(ended)
		calls := <-pid
		if err := unix.Kill(calls, unix.SIGKILL); err != nil {
			t.Error(err)
		}
		for p, there := process.Find(calls); there && !p.Ended; p, there = process.Find(calls) {
			runtime.Gosched()
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	args := append(i.Through(), bash, "-c", "echo $$; exec 3<>/dev/tcp/203.0.113.7/80")
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	said, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var calls int
	if _, err := fmt.Fscan(said, &calls); err != nil {
		t.Fatal(err)
	}
	pid <- calls
	<-ended
	if err := cmd.Wait(); err == nil {
		t.Error("what was killed ended well")
	}
	if err := i.Close(); err != nil { // the supervisor has ended, too
		t.Error(err)
	}
	if all := i.Refused(); len(all) != 0 {
		t.Errorf("refused %v", all)
	}
}
