package intercept

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// dialOften connects to an address, and prints how long a connection takes, in nanoseconds.
func dialOften(times, addr string) error {
	n, err := strconv.Atoi(times)
	if err != nil {
		return err
	}
	to, err := net.ResolveTCPAddr("tcp4", addr)
	if err != nil {
		return err
	}
	sa := &syscall.SockaddrInet4{Port: to.Port, Addr: [4]byte(to.IP.To4())}
	var spent time.Duration
	for range n {
		fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
		if err != nil {
			return err
		}
		begun := time.Now()
		err = syscall.Connect(fd, sa)
		spent += time.Since(begun)
		syscall.Close(fd)
		if err != nil {
			return err
		}
	}
	fmt.Println(spent.Nanoseconds() / int64(n))
	return nil
}

// openOften opens a file to read it, and prints how long that takes, in nanoseconds.
func openOften(times, path string) error {
	n, err := strconv.Atoi(times)
	if err != nil {
		return err
	}
	var spent time.Duration
	for range n {
		begun := time.Now()
		fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
		spent += time.Since(begun)
		if err != nil {
			return err
		}
		syscall.Close(fd)
	}
	fmt.Println(spent.Nanoseconds() / int64(n))
	return nil
}

// measure runs this program with words that have it print nanoseconds, as a command that cmd makes of it.
func measure(b *testing.B, unit string, cmd func(args ...string) *exec.Cmd, words ...string) {
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	var total int64
	for range b.N {
		out, err := cmd(append([]string{self}, words...)...).CombinedOutput()
		n, bad := strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
		if err != nil || bad != nil {
			b.Fatalf("%v\n%s", err, out)
		}
		total += n
	}
	b.ReportMetric(float64(total)/float64(b.N)/1000, "µs/"+unit)
}

// alone is a command that nobody leads.
func alone(args ...string) *exec.Cmd { return exec.Command(args[0], args[1:]...) }

// through is one that an interceptor leads.
func through(i Interceptor) func(args ...string) *exec.Cmd {
	return func(args ...string) *exec.Cmd { return alone(append(i.Through(), args...)...) }
}

// BenchmarkOpen times openat(2) of a file to read, by itself and asked about, as the process that opens sees it.
func BenchmarkOpen(b *testing.B) {
	words := []string{"open", "2000", "/etc/hosts"}
	b.Run("by itself", func(b *testing.B) { measure(b, "open", alone, words...) })
	b.Run("asked", func(b *testing.B) {
		i, err := openNotified(Options{Self: asStage(b), Way: Rewrite})
		if err != nil {
			b.Fatal(err)
		}
		defer i.Close()
		if i.server.addr.Port() != dnsPort {
			b.Skip("nobody is asked about files here, where the port of name servers cannot be had")
		}
		measure(b, "open", through(i), words...)
	})
}

// BenchmarkConnect times connect(2) to a listener of this machine, by itself and led there in each way, as the process
// that connects sees it.
func BenchmarkConnect(b *testing.B) {
	const each = "2000"
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	go drop(l)
	b.Run("by itself", func(b *testing.B) {
		measure(b, "connect", alone, "dial", each, l.Addr().String())
	})
	for name, open := range map[string]func(Options) (Interceptor, error){
		"duplicate": func(o Options) (Interceptor, error) { o.Way = Duplicate; return openSeccomp(o) },
		"rewrite":   func(o Options) (Interceptor, error) { o.Way = Rewrite; return openSeccomp(o) },
		"namespace": openNamespace} {
		b.Run(name, func(b *testing.B) {
			i, err := open(Options{Self: asStage(b), Serve: func(_ Service, l net.Listener) { go drop(l) }})
			if err != nil {
				b.Fatal(err)
			}
			defer i.Close()
			measure(b, "connect", through(i), "dial", each, "203.0.113.7:80")
		})
	}
}

// drop closes connections as they come.
func drop(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		c.Close()
	}
}
