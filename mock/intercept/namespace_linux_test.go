package intercept

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/flaketap/flaketap/internal/process"
	"github.com/flaketap/flaketap/internal/tcp"
	"github.com/google/go-cmp/cmp"
)

// inhabitant is a process in a network of its own, in Python, whose input ends it.
type inhabitant struct {
	lines *bufio.Scanner
	input io.WriteCloser
	wait  func() error
}

func (w *world) inhabitant(script string, args ...string) *inhabitant {
	w.t.Helper()
	cmd := w.command(append([]string{find(w.t, "python3"), "-u", "-c", script}, args...)...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	return &inhabitant{lines: bufio.NewScanner(out), input: in, wait: cmd.Wait}
}

// free is a port that is free at every address.
func free(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", ":0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

const listens = `
import http.server, socket, sys, threading
class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(("within " + self.client_address[0]).encode())
    def log_message(self, *args):
        pass
class Six(http.server.ThreadingHTTPServer):
    address_family = socket.AF_INET6
for host, port in zip(sys.argv[1::2], sys.argv[2::2]):
    server = (Six if ":" in host else http.server.ThreadingHTTPServer)((host, int(port)), Answer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
print("listens")
sys.stdin.read()
`

// Where a process listens in its network it is reached from this machine, at the same address, until it ends.
func TestReachedFromOutside(t *testing.T) {
	namespaces(t)
	w := openBy(t, openNamespace, Options{})
	ports := []int{free(t), free(t), free(t)}
	p := w.inhabitant(listens, "127.0.0.1", fmt.Sprint(ports[0]), "0.0.0.0", fmt.Sprint(ports[1]), "::", fmt.Sprint(ports[2]))
	if !p.lines.Scan() {
		t.Fatal("it did not listen")
	}
	for _, at := range []string{fmt.Sprintf("127.0.0.1:%d", ports[0]), fmt.Sprintf("127.0.0.1:%d", ports[1]),
		fmt.Sprintf("127.0.0.1:%d", ports[2]), fmt.Sprintf("[::1]:%d", ports[2])} {
		if got := getSoon(t, "http://"+at+"/"); !strings.HasPrefix(got, "within ") || !strings.HasSuffix(got, "1") {
			t.Errorf("%s: %q", at, got)
		}
	}
	p.input.Close()
	if err := p.wait(); err != nil {
		t.Error(err)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	for _, port := range ports {
		if c, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			c.Close()
			t.Errorf("port %d is still there", port)
		}
	}
}

// getSoon gets a URL as soon as somebody listens there.
func getSoon(t *testing.T, url string) string {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; runtime.Gosched() {
		resp, err := http.Get(url)
		if err != nil {
			if time.Now().After(deadline) {
				t.Fatal(err)
			}
			continue
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(body)
	}
}

// From within, this machine is as ever: what listens outside, what listens within, and nothing. Datagrams to other
// machines end there, and the process has no privileges.
func TestFromWithin(t *testing.T) {
	namespaces(t)
	port, own := everywhere(t), free(t)
	w := openBy(t, openNamespace, Options{})
	p := w.inhabitant(`
import socket, sys, urllib.request
outside, own, nobody = sys.argv[1:]
get = lambda at: urllib.request.urlopen("http://" + at + "/", timeout=60).read().decode()
print(get("127.0.0.1:" + outside), get("localhost:" + outside))
server = socket.create_server(("127.0.0.1", int(own)))
client = socket.create_connection(("127.0.0.1", int(own)))
client.sendall(b"to myself")
print(server.accept()[0].recv(100).decode())
try:
    socket.create_connection(("127.0.0.1", int(nobody))).sendall(b"x")
    print(socket.create_connection(("127.0.0.1", int(nobody))).recv(1))
except (ConnectionRefusedError, ConnectionResetError, BrokenPipeError):
    print("nobody")
udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
udp.connect(("192.0.2.1", 8125))
udp.send(b"x")
try:
    udp.send(b"x")
    print("sent")
except ConnectionRefusedError:
    print("refused")
print([line.split()[1] for line in open("/proc/self/status") if line.startswith("CapEff")][0])
print(sorted(line.split(":")[0].strip() for line in open("/proc/self/net/dev") if ":" in line)[0], open("/etc/resolv.conf").read().strip())
`, fmt.Sprint(port), fmt.Sprint(own), fmt.Sprint(free(t)))
	var got []string
	for p.lines.Scan() {
		got = append(got, p.lines.Text())
	}
	if err := p.wait(); err != nil {
		t.Error(err)
	}
	want := []string{"here here", "to myself", "nobody", "refused", "0000000000000000", "lo nameserver " + nameServerHost}
	if os.Geteuid() == 0 && len(got) > 4 { // root has what it needs to become others
		want[4] = got[4]
	}
	if diff := cmp.Diff(want, got); diff != "" || len(w.services) != 0 {
		t.Errorf("%s\nservices %q", diff, w.services)
	}
}

// A port that is taken outside is not reached, and that is told.
func TestMirrorTaken(t *testing.T) {
	namespaces(t)
	port := everywhere(t)
	w := openBy(t, openNamespace, Options{})
	p := w.inhabitant(listens, "127.0.0.1", fmt.Sprint(port))
	p.lines.Scan()
	for deadline := time.Now().Add(time.Minute); len(w.Refused()) == 0 && time.Now().Before(deadline); {
		runtime.Gosched()
	}
	if r := w.Refused(); len(r) != 1 || r[0].To != fmt.Sprintf("127.0.0.1:%d", port) || !strings.Contains(r[0].Why, "address already in use") {
		t.Errorf("refused %+v", r)
	}
	p.input.Close()
	if err := p.wait(); err != nil {
		t.Error(err)
	}
}

// What cannot be had is said, and auto takes what comes next: within a process that is led by seccomp already, that
// is a network of its own.
func TestChoose(t *testing.T) {
	if os.Getenv("LED") != "" {
		e, why, err := Choose(t.Context(), AnyEngine, asStage(t), t.TempDir())
		if err != nil { // there are no namespaces either
			why = strings.TrimPrefix(err.Error(), "lead connections: ")
		}
		fmt.Printf("chose %s since %s\n", e.Name, why)
		return
	}
	if e, why, err := Choose(t.Context(), "", asStage(t), t.TempDir()); err != nil || e.Name != "seccomp" || why != "" {
		t.Errorf("%s, %q, %v", e.Name, why, err)
	}
	if _, _, err := Choose(t.Context(), "ebpf", nil, t.TempDir()); err == nil {
		t.Error("there is an engine ebpf")
	}
	w := open(t, Options{})
	cmd := w.command(asStage(t)[0], "-test.run=^TestChoose$", "-test.v")
	cmd.Env = append(os.Environ(), "LED=1")
	out, err := cmd.CombinedOutput()
	want := "since seccomp does not work here (install filter: another program already asks about this one's system calls)"
	if err != nil || !strings.Contains(string(out), want) || strings.Contains(string(out), "chose seccomp") {
		t.Errorf("%v\n%s", err, out)
	}
}

// What is interrupted while an engine is tried is not said of the engine. Its processes do not hear of the interruption
// before this one does, and end with it: who waits for their output waits no longer.
func TestChooseInterrupted(t *testing.T) {
	for _, engine := range []string{"seccomp", "namespace"} {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		tried := Engines()
		for i := range tried {
			open := tried[i].Open
			tried[i].Open = func(o Options) (Interceptor, error) {
				o.Serve = func(Service, net.Listener) { // which answers nobody: the probe waits
					for _, p := range process.Descendants(os.Getpid(), process.All()) {
						if p.Group == syscall.Getpgrp() {
							t.Errorf("%s: process %d hears what this group is told", engine, p.PID)
						}
					}
					cancel()
				}
				return open(o)
			}
		}
		e, _, err := choose(ctx, tried, engine, asStage(t), t.TempDir())
		if !errors.Is(err, context.Canceled) || strings.Contains(err.Error(), "does not work") || e.Name != "" {
			t.Errorf("%s: %s, %v", engine, e.Name, err)
		}
	}
}

// Where unprivileged namespaces are refused, as by Docker, that is said.
func TestNamespaceRefused(t *testing.T) {
	if os.Getenv("CONTAINED") != "" {
		_, _, err := Choose(t.Context(), "namespace", asStage(t), t.TempDir())
		fmt.Println("said:", err)
		return
	}
	self := asStage(t)[0]
	cmd := exec.CommandContext(t.Context(), self, "contained", self, "-test.run=^TestNamespaceRefused$", "-test.v")
	cmd.Env = append(os.Environ(), "CONTAINED=1")
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "said: lead connections: namespace does not work here (") {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestListening(t *testing.T) {
	const table = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 20
   1: 0100007F:1F90 0100007F:9C40 01 00000000:00000000 00:00000000 00000000     0        0 21
   2: 00000000:0050 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 22
   3: 00000000000000000000000001000000:01BB 00000000000000000000000000000000:0000 0A 0 0 0
   4: 0000000000000000FFFF00000100007F:0016 00000000000000000000000000000000:0000 0A 0 0 0
   5: zz:1 0:0 0A
   6: 0100007F 0 0A
`
	var got []string
	for _, at := range parseTable([]byte(table), tcp.Listening) {
		got = append(got, at.String())
	}
	want := []string{"127.0.0.1:8080", "0.0.0.0:80", "[::1]:443", "127.0.0.1:22"}
	if runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skip("the table is of a machine whose words end with their first byte")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func FuzzListening(f *testing.F) {
	f.Add([]byte("x 0100007F:1F90 00000000:0000 0A"))
	f.Add([]byte("\x00:\nx : : 0A\nx 00:1 0 0A"))
	f.Fuzz(func(t *testing.T, table []byte) {
		for _, at := range parseTable(table, tcp.Listening) {
			if !at.IsValid() || at.Addr().Is4In6() {
				t.Errorf("%q gives %v", table, at)
			}
		}
	})
}

func TestMirrorNetwork(t *testing.T) {
	any4, any6 := netip.MustParseAddrPort("0.0.0.0:80"), netip.MustParseAddrPort("[::]:80")
	one6 := netip.MustParseAddrPort("[::1]:80")
	for _, tt := range []struct {
		at   netip.AddrPort
		all  []netip.AddrPort
		want string
	}{{any4, nil, "tcp4"}, {any6, []netip.AddrPort{any6}, "tcp"}, {any6, []netip.AddrPort{any6, any4}, "tcp6"}, {one6, nil, "tcp6"}} {
		if got := mirrorNetwork(tt.at, tt.all); got != tt.want {
			t.Errorf("%v among %v: %s, want %s", tt.at, tt.all, got, tt.want)
		}
	}
}
