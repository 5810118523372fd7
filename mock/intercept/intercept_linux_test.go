package intercept

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/flaketap/flaketap/internal/testbed/contained"
	"github.com/google/go-cmp/cmp"
)

// The test program is also the stages of a process, and a client in Go.
func TestMain(m *testing.M) {
	args := os.Args
	if len(args) < 3 {
		os.Exit(m.Run())
	}
	switch args[1] {
	case "stage":
		words, command := args[2:], []string(nil)
		if at := slices.Index(args, "--"); at > 0 {
			words, command = args[2:at], args[at+1:]
		}
		status, err := Stage(args[:2:2], words, command)
		exit(status, err)
	case "client":
		exit(0, fetch(args[2:]))
	case "contained":
		exit(1, contained.Exec(args[2:]))
	case "dial":
		exit(0, dialOften(args[2], args[3]))
	case "open":
		exit(0, openOften(args[2], args[3]))
	}
	os.Exit(m.Run())
}

func exit(status int, err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(99)
	}
	os.Exit(status)
}

// fetch gets each URL with Go's own client and resolver, and prints what it was answered.
func fetch(urls []string) error {
	net.DefaultResolver.PreferGo = true
	for _, url := range urls {
		client := http.Client{Timeout: 20 * time.Second}
		resp, err := client.Get(url)
		if err != nil {
			fmt.Println("failed:", err)
			continue
		}
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			return err
		}
		fmt.Println(resp.StatusCode, string(body))
	}
	return nil
}

// world is an interceptor whose services answer with their own names.
type world struct {
	t *testing.T
	Interceptor

	mu       sync.Mutex
	services []string
}

// asStage is this program as a stage.
func asStage(t testing.TB) []string {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return []string{program, "stage"}
}

// open opens one of seccomp's.
func open(t *testing.T, o Options) *world {
	t.Helper()
	return openBy(t, openSeccomp, o)
}

func openBy(t *testing.T, engine func(Options) (Interceptor, error), o Options) *world {
	t.Helper()
	w := &world{t: t}
	o.Self, o.Serve = asStage(t), w.serve
	i, err := engine(o)
	if err != nil {
		t.Fatal(err)
	}
	w.Interceptor = i
	t.Cleanup(func() {
		if err := i.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

func (w *world) serve(s Service, l net.Listener) {
	w.mu.Lock()
	w.services = append(w.services, s.String())
	w.mu.Unlock()
	server := &http.Server{Handler: http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(rw, "%s said %s", s, r.Host)
	}), ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(l) }() // it ends with the listener
}

// command is a command that is launched.
func (w *world) command(args ...string) *exec.Cmd {
	args = append(w.Through(), args...)
	cmd := exec.CommandContext(w.t.Context(), args[0], args[1:]...)
	cmd.WaitDelay = 10 * time.Second
	return cmd
}

// run runs a command, and returns what it printed.
func (w *world) run(args ...string) string {
	w.t.Helper()
	out, err := w.command(args...).CombinedOutput()
	if err != nil {
		w.t.Fatalf("%v: %v\n%s", args, err, out)
	}
	return string(out)
}

// client gets URLs with the client in Go.
func (w *world) client(urls ...string) string {
	w.t.Helper()
	self, err := os.Executable()
	if err != nil {
		w.t.Fatal(err)
	}
	return w.run(append([]string{self, "client"}, urls...)...)
}

// ways runs a test by each way in which processes are led without their knowledge.
func ways(t *testing.T, test func(t *testing.T, open func(Options) *world)) {
	for name, way := range map[string]Way{"duplicate": Duplicate, "rewrite": Rewrite} {
		t.Run(name, func(t *testing.T) {
			test(t, func(o Options) *world { o.Way = way; return open(t, o) })
		})
	}
	t.Run("namespace", func(t *testing.T) {
		namespaces(t)
		test(t, func(o Options) *world { return openBy(t, openNamespace, o) })
	})
}

// namespaces skips a test where a process cannot have a network of its own.
func namespaces(t testing.TB) {
	t.Helper()
	if err := probe(t.Context(), Engine{Open: openNamespace}, asStage(t), t.TempDir()); err != nil {
		t.Skip("there are no networks for processes here:", err)
	}
}

// Names, ports and literals each are a service; localhost is not.
func TestServices(t *testing.T) {
	here := httpHere(t)
	ways(t, func(t *testing.T, open func(Options) *world) {
		w := open(Options{})
		got := w.client("http://rates.example.com/a", "http://rates.example.com:8080/b", "http://203.0.113.7:9/c",
			"http://[2001:db8::5]:81/d", "http://a-name-nobody-knows/e", here)
		want := "200 rates.example.com:80 said rates.example.com\n200 rates.example.com:8080 said rates.example.com:8080\n" +
			"200 203.0.113.7:9 said 203.0.113.7:9\n200 [2001:db8::5]:81 said [2001:db8::5]:81\n" +
			"200 a-name-nobody-knows:80 said a-name-nobody-knows\n200 here\n"
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		if len(w.services) != 5 || len(w.Refused()) != 0 {
			t.Errorf("services %q, refused %v", w.services, w.Refused())
		}
	})
}

// A folder whose path does not fit into the address of a socket serves as well.
func TestDeepFolder(t *testing.T) {
	ways(t, func(t *testing.T, open func(Options) *world) {
		deep := filepath.Join(t.TempDir(), strings.Repeat("deep/", 30))
		if err := os.MkdirAll(deep, 0o755); err != nil {
			t.Fatal(err)
		}
		w := open(Options{Dir: deep})
		if got, want := w.client("http://rates.example.com/a"), "200 rates.example.com:80 said rates.example.com\n"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

// httpHere is a server of this machine that is no service.
func httpHere(t *testing.T) (url string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(rw, "here")
	}), ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { server.Close() })
	return "http://" + l.Addr().String() + "/"
}

// In a container the way that is open there is found by itself. The test runs itself in there.
func TestContained(t *testing.T) {
	if os.Getenv("CONTAINED") != "" {
		w := open(t, Options{})
		if got, want := w.client("http://rates.example.com/"), "200 rates.example.com:80 said rates.example.com\n"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		return
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, "contained", self, "-test.run=^TestContained$", "-test.v")
	cmd.Env = append(os.Environ(), "CONTAINED=1")
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: TestContained") {
		t.Errorf("%v\n%s", err, out)
	}
}

// A port of this machine is a service where it is named as one.
func TestLocal(t *testing.T) {
	ways(t, func(t *testing.T, open func(Options) *world) {
		w := open(Options{Local: []uint16{9090}})
		if got, want := w.client("http://localhost:9090/"), "200 localhost:9090 said localhost:9090\n"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

// Python's resolver is the C library's.
func TestPython(t *testing.T) {
	python := find(t, "python3")
	ways(t, func(t *testing.T, open func(Options) *world) {
		w := open(Options{})
		got := w.run(python, "-c", `
import socket, urllib.request
print(urllib.request.urlopen("http://rates.example.com:81/").read().decode())
print(socket.gethostbyaddr(socket.gethostbyname("rates.example.com"))[0])
`)
		if want := "rates.example.com:81 said rates.example.com:81\nrates.example.com\n"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

// Sockets as a program may open them by itself: each is led or refused for what it is.
func TestSockets(t *testing.T) {
	python := find(t, "python3")
	var log bytes.Buffer
	w := open(t, Options{Way: Duplicate, Log: slog.New(slog.NewTextHandler(&log, nil))})
	got := strings.Fields(w.run(python, "-c", `
import socket
six = socket.socket(socket.AF_INET6)
six.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
six.connect(("2001:db8::9", 82))
six.sendall(b"GET / HTTP/1.0\r\nHost: six\r\n\r\n")
print(six.makefile().read().splitlines()[-1].replace(" ", "_"))
patient = socket.socket()
patient.setblocking(False)
patient.connect_ex(("192.0.2.1", 83))
patient.setblocking(True)
print("connected", patient.getpeername()[0].startswith("127.77."))
udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
here = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
here.bind(("127.0.0.1", 0))
udp.sendto(b"passes", here.getsockname())
print(here.recvfrom(10)[0].decode())
raw = None
try:
    raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)
except PermissionError:
    pass
for send in (lambda: udp.sendto(b"x", ("192.0.2.1", 8125)), lambda: udp.connect(("192.0.2.1", 8125)),
             lambda: udp.sendmsg([b"x"], [], 0, ("192.0.2.1", 8125)), lambda: udp.sendto(b"x", ("192.0.2.255", 443)),
             lambda: raw and raw.connect(("192.0.2.1", 0))):
    try:
        print("sent" if send() is not None else "")
    except ConnectionRefusedError:
        print("refused")
`))
	want := []string{"[2001:db8::9]:82_said_six", "connected", "True", "passes", "refused", "refused", "refused", "refused"}
	if os.Getuid() == 0 {
		want = append(want, "refused")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	times := 0
	for _, r := range w.Refused() {
		if r.Network != "udp" && r.Network != "raw" {
			t.Errorf("refused %+v", r)
		}
		times += r.Times
	}
	if times != len(want)-4 {
		t.Errorf("refused: %v", w.Refused())
	}
	if n := strings.Count(log.String(), "a connection or datagram was refused"); n != len(w.Refused()) {
		t.Errorf("%d refusals are in the log, want %d:\n%s", n, len(w.Refused()), log.String())
	}
}

// A resolver that leaves its socket unconnected, and looks at who answers, is answered by whom it asked; others' datagrams
// on that socket are theirs. What nobody could answer so is refused.
func TestUnconnectedResolver(t *testing.T) {
	python := find(t, "python3")
	w := open(t, Options{Way: Duplicate})
	got := strings.Fields(w.run(python, "-c", `
import ctypes, socket, struct
query = struct.pack("!6H", 7, 256, 1, 0, 0, 0) + b"\5rates\7example\3com\0" + struct.pack("!2H", 1, 1)
for family, asked, here in ((socket.AF_INET, "192.0.2.53", "127.0.0.1"), (socket.AF_INET6, "::ffff:192.0.2.53", "::1")):
    s = socket.socket(family, socket.SOCK_DGRAM)
    s.bind(("", 0))
    s.sendto(query, (asked, 53))
    answer, sender = s.recvfrom(512)
    print(sender[:2] == (asked, 53), answer[:2] == query[:2])
    other = socket.socket(family, socket.SOCK_DGRAM)
    other.bind((here, 0))
    other.sendto(b"x", (here, s.getsockname()[1]))
    print(s.recvfrom(512)[1][:2] == other.getsockname()[:2])
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
to = ctypes.create_string_buffer(struct.pack("=H", socket.AF_INET) + struct.pack("!H", 53) + bytes([192, 0, 2, 53]) + bytes(8), 16)
text = ctypes.create_string_buffer(query, len(query))
vector = ctypes.create_string_buffer(struct.pack("QQ", ctypes.addressof(text), len(query)), 16)
message = struct.pack("QQQQQQQQ", ctypes.addressof(to), 16, ctypes.addressof(vector), 1, 0, 0, 0, 0)
libc = ctypes.CDLL(None, use_errno=True)
print(libc.sendmmsg(s.fileno(), ctypes.create_string_buffer(message, 64), 1, 0), ctypes.get_errno())
`))
	if diff := cmp.Diff([]string{"True", "True", "True", "True", "True", "True", "-1", "111"}, got); diff != "" {
		t.Error(diff)
	}
	if r := w.Refused(); len(r) != 1 || r[0].To != "192.0.2.53:53" || !strings.Contains(r[0].Why, "noNative") {
		t.Errorf("refused %+v", r)
	}
}

// Nobody is asked about recvmsg: who asks for a name by sendto, and receives so, sees our address. It is told where no
// connection came of a name, be it for this or for another reason.
func TestAnsweredElsewhere(t *testing.T) {
	python := find(t, "python3")
	for name, tt := range map[string]struct {
		connects string
		want     []Refusal
	}{
		"none of the names is connected to": {"", []Refusal{{Network: "udp", To: "192.0.2.54:53", Times: 2,
			Why: "a name was looked up by sendto and recvmsg, and its answer may have been dropped, as it comes from another address than was asked; " + askOtherwise}}},
		"all are": {`
    socket.create_connection((socket.inet_ntoa(answer[-4:]), 80)).close()`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			w := open(t, Options{Way: Duplicate})
			got := w.run(python, "-c", `
import socket, struct
query = struct.pack("!6H", 7, 256, 1, 0, 0, 0) + b"\5rates\7example\3com\0" + struct.pack("!2H", 1, 1)
for receive in ("recvfrom", "recv", "recvmsg", "recvmsg"):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    if receive == "recv":
        s.connect(("192.0.2.54", 53))
        s.send(query)
    else:
        s.sendto(query, ("192.0.2.54", 53))
    answer = getattr(s, receive)(512)
    if receive != "recv":
        answer = answer[0]
    print(answer[:2] == query[:2])`+tt.connects)
			if strings.Join(strings.Fields(got), " ") != "True True True True" {
				t.Error(got)
			}
			if diff := cmp.Diff(tt.want, w.Refused()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func find(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skip("there is no " + name)
	}
	return path
}

// A daemon stays led after its parent has ended, Launch waits for it, and it ends with the interceptor.
func TestDaemon(t *testing.T) {
	ways(t, func(t *testing.T, open func(Options) *world) {
		sh := find(t, "setsid")
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		w := open(Options{})
		cmd := w.command("sh", "-c", sh+` sh -c 'trap "" TERM; "$1" client http://a.example/; exec 3<&-; echo waits; sleep 1000' x "$1" & exit 7`, "x", self)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for _, want := range []string{"200 a.example:80 said a.example", "waits"} {
			if !lines.Scan() || lines.Text() != want {
				t.Fatalf("got %q, want %q", lines.Text(), want)
			}
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
		rest, err := io.ReadAll(out) // until all have ended that could write
		if err != nil || len(rest) > 0 {
			t.Errorf("%q, %v", rest, err)
		}
		var exit *exec.ExitError
		if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 7 {
			t.Errorf("%v; want the status of the command, 7", err)
		}
	})
}

// What asks after the interceptor has gone is refused.
func TestGone(t *testing.T) {
	python := find(t, "python3")
	w := open(t, Options{})
	cmd := w.command(python, "-c", `
import signal, socket, sys
signal.signal(signal.SIGTERM, signal.SIG_IGN) # it ends later than it is asked to with the interceptor
print("there", flush=True)
sys.stdin.readline()
try:
    socket.create_connection(("203.0.113.1", 80), timeout=5)
except OSError as e:
    print(e.strerror)
`)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	lines.Scan()
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	in.Close()
	if lines.Scan(); lines.Text() != "Function not implemented" {
		t.Errorf("it was told %q", lines.Text())
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// io_uring could connect past the filter.
func TestNoUring(t *testing.T) {
	python := find(t, "python3")
	w := open(t, Options{})
	got := w.run(python, "-c", `
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
print(libc.syscall(425, 8, ctypes.create_string_buffer(128)), ctypes.get_errno())
`)
	if got != "-1 38\n" {
		t.Errorf("io_uring_setup: %q", got)
	}
}

// The command's own status is returned, and one that cannot be started is said.
func TestStatus(t *testing.T) {
	ways(t, func(t *testing.T, open func(Options) *world) {
		w := open(Options{})
		var exit *exec.ExitError
		if err := w.command("sh", "-c", "exit 5").Run(); !errors.As(err, &exit) || exit.ExitCode() != 5 {
			t.Errorf("%v, want exit status 5", err)
		}
		if err := w.command("sh", "-c", "kill -9 $$").Run(); !errors.As(err, &exit) || exit.ExitCode() != 128+9 {
			t.Errorf("%v, want exit status 137", err)
		}
		out, err := w.command("/no/such/program").CombinedOutput()
		if err == nil || !strings.Contains(string(out), "no such file") {
			t.Errorf("%v: %s", err, out)
		}
	})
}

// Connections of several processes at once are led each to its own service.
func TestManyAtOnce(t *testing.T) {
	ways(t, func(t *testing.T, open func(Options) *world) {
		w := open(Options{})
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		var urls, want []string
		for n := range 25 {
			urls = append(urls, fmt.Sprintf("http://s%02d.example/", n))
			want = append(want, fmt.Sprintf("200 s%02d.example:80 said s%02d.example", n, n))
		}
		got := strings.Split(strings.TrimSpace(w.run(append([]string{"sh", "-c",
			`for i in 1 2 3 4; do "$@" & done; wait`, "sh", self, "client"}, urls...)...)), "\n")
		slices.Sort(got)
		if diff := cmp.Diff(slices.Sorted(slices.Values(slices.Repeat(want, 4))), got); diff != "" {
			t.Error(diff)
		}
	})
}
