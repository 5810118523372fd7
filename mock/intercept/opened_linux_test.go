package intercept

import (
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// byFile opens an interceptor that gives processes a file of ours which names its name server.
func byFile(t *testing.T) *world {
	t.Helper()
	w := open(t, Options{Way: Rewrite})
	if w.Interceptor.(*notified).server.addr.Port() != dnsPort {
		t.Skip("this user cannot have the port of name servers")
	}
	return w
}

// Who opens the file that names name servers to read it gets one that names ours, each anew, as it asked for it. All
// else is what it is: other names of that file, files that are opened otherwise, and those that are not there.
func TestResolvConf(t *testing.T) {
	python := find(t, "python3")
	w := byFile(t)
	got := strings.Split(strings.TrimSpace(w.run(python, "-c", `
import ctypes, fcntl, os, platform, threading
libc = ctypes.CDLL(None, use_errno=True)
libc.open.argtypes = [ctypes.c_char_p, ctypes.c_int]
def at(fd):
    return "ours" if "/flaketap-intercept-" in os.readlink("/proc/self/fd/%d" % fd) else "another"
name = "/etc/resolv.conf"
print(open(name).readline().strip())
one, two = open(name), open(name)
print(one.read() == two.read(), [l for l in open(name) if l.startswith("nameserver")] == [open(name).readline()])
for flags in (os.O_CLOEXEC, 0, os.O_NONBLOCK):
    fd = libc.open(name.encode(), flags)
    print(at(fd), fcntl.fcntl(fd, fcntl.F_GETFD), flags)
print(at(os.open(name, os.O_RDONLY, dir_fd=os.open("/tmp", os.O_RDONLY))))
if platform.machine() == "x86_64": # open(2) itself, which C libraries other than glibc call
    print(at(libc.syscall(2, name.encode(), os.O_RDONLY, os.O_RDWR)), at(libc.syscall(2, name.encode(), os.O_PATH, 0)))
else:
    print("ours another")
for other, flags in ((name, os.O_PATH), ("/etc/../etc/resolv.conf", 0), (name + "x", 0), ("/etc/hosts", 0)):
    try:
        print(at(os.open(other, flags)))
    except OSError as e:
        print(e.strerror)
os.chdir("/etc")
print(at(os.open("resolv.conf", os.O_RDONLY)), libc.open(None, 0), ctypes.get_errno())
found = []
def often():
    for _ in range(50):
        fd = os.open(name, os.O_RDONLY)
        found.append(at(fd))
        os.close(fd)
        open("/etc/hosts").close()
threads = [threading.Thread(target=often) for _ in range(8)]
for t in threads: t.start()
for t in threads: t.join()
print(len(found), set(found))
`)), "\n")
	addr := w.Interceptor.(*notified).server.addr.Addr().String()
	want := []string{"nameserver " + addr, "True True", "ours 1 524288", "ours 0 0", "ours 0 2048", "ours", "ours another", "another",
		"another", "No such file or directory", "another", "another -1 14", "400 {'ours'}"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Where sockets can be duplicated, nobody is asked about files: the file is the real one.
func TestResolvConfReal(t *testing.T) {
	real, err := os.ReadFile("/etc/resolv.conf")
	if err != nil {
		t.Skip(err)
	}
	if got := open(t, Options{Way: Duplicate}).run("cat", "/etc/resolv.conf"); got != string(real) {
		t.Errorf("got %q, want %q", got, real)
	}
}

// Resolvers that ask whom the file names, and look at who answers, are answered: by any calls, with their sockets
// connected or not.
func TestResolversThatLook(t *testing.T) {
	python := find(t, "python3")
	w := byFile(t)
	got := w.run(python, "-c", `
import ctypes, socket, struct
server = [l.split()[1] for l in open("/etc/resolv.conf") if l.startswith("nameserver")][0]
query = struct.pack("!6H", 7, 256, 1, 0, 0, 0) + b"\5rates\7example\3com\0" + struct.pack("!2H", 1, 1)
def sendmmsg(s):
    to = ctypes.create_string_buffer(struct.pack("=H", socket.AF_INET) + struct.pack("!H", 53) + socket.inet_aton(server) + bytes(8), 16)
    text = ctypes.create_string_buffer(query, len(query))
    vector = ctypes.create_string_buffer(struct.pack("QQ", ctypes.addressof(text), len(query)), 16)
    message = struct.pack("QQQQQQQQ", ctypes.addressof(to), 16, ctypes.addressof(vector), 1, 0, 0, 0, 0)
    assert ctypes.CDLL(None).sendmmsg(s.fileno(), ctypes.create_string_buffer(message, 64), 1, 0) == 1
def connected(s):
    s.connect((server, 53))
    assert s.getpeername() == (server, 53)
    s.send(query)
for ask in (connected, sendmmsg, lambda s: s.sendto(query, (server, 53)), lambda s: s.sendmsg([query], [], 0, (server, 53))):
    for receive in (lambda s: s.recvfrom(512), lambda s: s.recvmsg(512)[::3]):
        s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        s.settimeout(20)
        ask(s)
        answer, sender = receive(s)
        print(sender == (server, 53), answer[-4:-2] == bytes([127, 77]))
`)
	if want := strings.Repeat("True True\n", 8); got != want || len(w.Refused()) > 0 {
		t.Errorf("got %q, refused %+v", got, w.Refused())
	}
}

// Calls that a signal comes into, and processes that are ended while they open files, hold nothing up.
func TestOpenedMeanwhile(t *testing.T) {
	python := find(t, "python3")
	w := byFile(t)
	got := w.run(python, "-c", `
import os, signal, time
signal.signal(signal.SIGALRM, lambda *_: None)
signal.setitimer(signal.ITIMER_REAL, 0.0003, 0.0003)
for _ in range(500):
    with open("/etc/resolv.conf") as f:
        assert f.readline().startswith("nameserver 127.77.255.")
signal.setitimer(signal.ITIMER_REAL, 0)
print(len(os.listdir("/proc/self/fd")) < 10)
for n in range(8):
    child = os.fork()
    if child == 0:
        while True:
            os.close(os.open("/etc/resolv.conf", os.O_RDONLY))
    time.sleep(n / 2000)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
print(open("/etc/resolv.conf").readline()[:22])
`)
	if want := "True\nnameserver 127.77.255.\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Each interceptor that is open at once has a name server of its own. Where another program has the port at every
// address, names are asked for at another port.
func TestNameServers(t *testing.T) {
	open := func() (addr netip.AddrPort) {
		s, err := openNameServer(newNames(nil))
		if err != nil {
			t.Error(err)
			return addr
		}
		t.Cleanup(func() { s.close() })
		return s.addr
	}
	one, other := open(), open()
	if one == other || !ofNameServers(one.Addr()) || !ofNameServers(other.Addr()) {
		t.Errorf("%s and %s", one, other)
	}
	if os.Getuid() != 0 {
		t.Skip("an ordinary user has no network in which every port is taken")
	}
	inNetwork(t, func() {
		if at := open(); at.Port() != dnsPort {
			t.Errorf("where nobody else is: %s", at)
		}
	})
	inNetwork(t, func() {
		everywhere, err := net.ListenPacket("udp4", "0.0.0.0:53")
		if err != nil {
			t.Error(err)
			return
		}
		defer everywhere.Close()
		if at := open(); at.Port() == dnsPort {
			t.Errorf("where another program is: %s", at)
		}
	})
}

// inNetwork has something be done in a network of its own, by root.
func inNetwork(t *testing.T, do func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // for good: the network ends with the thread
		err := unix.Unshare(unix.CLONE_NEWNET)
		if err == nil {
			err = loopbackUp()
		}
		if err != nil {
			t.Error(err)
			return
		}
		do()
	}()
	<-done
}

func TestWriteResolvConf(t *testing.T) {
	dir := t.TempDir()
	const real = "# by a machine\nnameserver 10.0.0.2\n\nsearch a.example b.example\nnameserver\t10.0.0.3\noptions ndots:5"
	if err := writeResolvConf(dir, "127.77.255.53", real); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(dir, resolvConf))
	if err != nil {
		t.Fatal(err)
	}
	want := "nameserver 127.77.255.53\n# by a machine\nsearch a.example b.example\noptions ndots:5\n"
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
}
