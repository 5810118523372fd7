package main

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/flaketap/flaketap/internal/certs"
	"github.com/flaketap/flaketap/internal/testbed/needs"
	"github.com/google/go-cmp/cmp"
)

// inNamespace runs the test of that name again, in a network namespace of its own, where it may set rules and listen on
// any port; it is told so by the environment.
const inNamespace = "FLAKETAP_TEST_IN_NAMESPACE"

// namespace runs the test in a network namespace of its own, and reports whether this is the run within it.
func namespace(t *testing.T) bool {
	t.Helper()
	if os.Getenv(inNamespace) != "" {
		raiseLoopback(t)
		err := redirect()
		needs.That(t, fmt.Sprintf("nat in the kernel (%v)", err), err == nil)
		return true
	}
	_, err := exec.LookPath("curl")
	needs.That(t, "curl", err == nil)
	exe := testBinary(t)
	cmd := exec.CommandContext(t.Context(), exe, "-test.run=^"+t.Name()+"$", "-test.count=1", "-test.v")
	cmd.Env = append(os.Environ(), inNamespace+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET, Pdeathsig: syscall.SIGKILL}
	if os.Getuid() != 0 {
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}}
	}
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	err = cmd.Start()
	needs.That(t, fmt.Sprintf("a network namespace (%v)", err), err == nil)
	err = cmd.Wait()
	if lacking := regexp.MustCompile(`nat in the kernel.* is missing`).FindString(out.String()); lacking != "" {
		needs.That(t, strings.TrimSuffix(lacking, " is missing"), false)
	}
	if err != nil || !strings.Contains(out.String(), "--- PASS: "+t.Name()) {
		t.Errorf("in the namespace: %v\n%s", err, out.String())
	}
	return false
}

// TestTransparent: clients that know of no recorder are recorded because the kernel redirects them, in plain HTTP and in
// TLS, with a server's name and without, in IPv4 and IPv6.
func TestTransparent(t *testing.T) {
	if !namespace(t) {
		return
	}
	b := newBench(t)
	b.noProxies()
	ca := b.serveEverywhere()
	for name, listen := range map[string]string{"loopback": "127.0.0.1:0", "all addresses": "[::]:0"} {
		t.Run(name, func(t *testing.T) {
			b := &bench{t: t, dir: t.TempDir(), env: b.env}
			b.env = append(b.env, "FLAKETAP_CA_DIR="+filepath.Join(b.dir, "ca"))
			if err := os.Symlink(filepath.Join(filepath.Dir(ca), "..", ".bin"), filepath.Join(b.dir, ".bin")); err != nil {
				t.Fatal(err)
			}
			p := b.run(nil, "record", "--transparent", "--listen", listen, "--upstream-ca", ca,
				"--tunnel", "*.left.example", "--exclude", "*.out.example", "--exclude", "127.0.0.3")
			p.redirects(false, 80, 81, 443, 25)
			curl := "curl -sS --max-time 20 --cacert " + b.dir + "/ca/ca.pem "
			for _, tt := range []struct{ client, want string }{
				{curl + "http://127.0.0.2/v4", "plain 127.0.0.2"},
				{curl + "-H Host:\\ 127.0.0.3 http://127.0.0.2/host", "plain 127.0.0.3"},
				{curl + "-g http://[::1]/v6", "plain [::1]"},
				{curl + "https://127.0.0.2/v4", "TLS  127.0.0.2"},
				{curl + "-g https://[::1]/v6", "TLS  [::1]"},
				{curl + "--resolve shop.example:443:127.0.0.2 https://shop.example/name", "TLS shop.example shop.example"},
				{curl + "--resolve a.out.example:443:127.0.0.2 https://a.out.example/out", "TLS a.out.example a.out.example"},
				{curl + "http://127.0.0.3/out", "plain 127.0.0.3"},
				{"curl -sS --cacert " + ca + " --resolve a.left.example:443:127.0.0.2 https://a.left.example/left", "TLS a.left.example a.left.example"},
			} {
				if out := b.must(tt.client); out != tt.want {
					t.Errorf("%s: answered %q, want %q", tt.client, out, tt.want)
				}
			}
			b.goClient()
			b.otherProtocol()
			b.nobodyThere()
			b.notRedirected(p)
			p.signal(os.Interrupt)
			p.exit(0)
			var got []string
			for _, e := range p.recorded() {
				what := e.Scheme + " " + e.Addr + " " + e.Request.Target
				if e.Fault != nil {
					what += " " + string(e.Fault.Kind)
				}
				got = append(got, what)
			}
			want := []string{
				"http 127.0.0.2:80 /v4", "http 127.0.0.2:80 /host", "http [::1]:80 /v6", "https 127.0.0.2:443 /v4", "https [::1]:443 /v6",
				"https 127.0.0.2:443 /name", "http 127.0.0.2:80 /go", "https [::1]:443 /go", "http 127.0.0.2:81 /nobody dial",
				"https 127.0.0.2:81  dial", "http  /direct dial",
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("recorded (-want +got):\n%s\n%s", diff, p.out)
			}
			p.says(1, `2 exchanges with excluded hosts passed through unrecorded`)
			p.says(1, `2 tunnels passed through unrecorded`)
		})
	}
}

// TestTransparentCircle: rules that leave no connection alone would have the recorder talk to itself for ever.
func TestTransparentCircle(t *testing.T) {
	if !namespace(t) {
		return
	}
	b := newBench(t)
	b.noProxies()
	b.serveEverywhere()
	p := b.run(nil, "record", "--transparent", "--listen", "127.0.0.1:0")
	p.redirects(true, 80)
	for _, url := range []string{"http://127.0.0.2/", "http://[::1]/"} {
		if out, status := b.sh("curl -sSg --max-time 20 " + url); status != 56 && status != 52 { // reset; nothing came
			t.Errorf("curl exits with %d: %s", status, out)
		}
	}
	p.signal(os.Interrupt)
	p.exit(0)
	p.says(1, "redirected back to it")
	for _, e := range p.recorded() {
		if e.Fault == nil {
			t.Errorf("recorded %v", e.Response)
		}
	}
}

// noProxies makes clients go where they are told to.
func (b *bench) noProxies() {
	b.env = slices.DeleteFunc(b.env, func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return strings.HasSuffix(strings.ToLower(name), "_proxy")
	})
}

// redirects sets the rules by which the ports of APIs lead to the recorder; all leads its own connections there too.
func (p *process) redirects(all bool, ports ...uint16) {
	p.t.Helper()
	to, err := strconv.ParseUint(p.wait(`redirect to :(\d+)`), 10, 16)
	if err != nil {
		p.t.Fatal(err)
	}
	var rules []natRule
	for _, port := range ports {
		rules = append(rules, natRule{port: port, to: uint16(to), all: all})
	}
	if err := redirect(rules...); err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { _ = redirect() })
}

// serveEverywhere serves HTTP, HTTPS and a protocol of which the server speaks first, and returns the file of the CA.
func (b *bench) serveEverywhere() (caFile string) {
	b.t.Helper()
	ca, err := certs.LoadOrCreate(filepath.Join(b.dir, "api-ca"))
	if err != nil {
		b.t.Fatal(err)
	}
	config := &tls.Config{GetCertificate: func(h *tls.ClientHelloInfo) (*tls.Certificate, error) {
		if h.ServerName != "" {
			return ca.Leaf(h.ServerName)
		}
		host, _, _ := net.SplitHostPort(h.Conn.LocalAddr().String())
		return ca.Leaf(host)
	}}
	api := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.TLS == nil {
			fmt.Fprintf(w, "plain %s", r.Host)
			return
		}
		fmt.Fprintf(w, "TLS %s %s", r.TLS.ServerName, r.Host)
	})}
	var wg sync.WaitGroup
	b.t.Cleanup(func() { wg.Wait() })
	listen := func(addr string) net.Listener {
		ln, err := net.Listen("tcp", addr)
		if err != nil {
			b.t.Fatal(err)
		}
		b.t.Cleanup(func() { ln.Close() })
		return ln
	}
	for _, addr := range []string{"127.0.0.2:80", "127.0.0.3:80", "[::1]:80"} {
		ln := listen(addr)
		wg.Go(func() { _ = api.Serve(ln) })
	}
	for _, addr := range []string{"127.0.0.2:443", "[::1]:443"} {
		ln := tls.NewListener(listen(addr), config)
		wg.Go(func() { _ = api.Serve(ln) })
	}
	mail := listen("127.0.0.2:25")
	wg.Go(func() {
		for {
			c, err := mail.Accept()
			if err != nil {
				return
			}
			_, _ = io.WriteString(c, "220 mail\r\n")
			line, _ := bufio.NewReader(c).ReadString('\n')
			_, _ = io.WriteString(c, "250 "+line)
			c.Close()
		}
	})
	b.t.Cleanup(func() { api.Close() })
	return ca.CertFile()
}

// goClient asks as Go's own client does, which uses no proxy for this machine.
func (b *bench) goClient() {
	b.t.Helper()
	pem, err := os.ReadFile(filepath.Join(b.dir, "ca", "ca.pem"))
	if err != nil {
		b.t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(pem)
	via := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}
	defer via.CloseIdleConnections()
	b.askGo(via, "http://127.0.0.2/go", "plain 127.0.0.2")
	b.askGo(via, "https://[::1]/go", "TLS  [::1]")
}

func (b *bench) askGo(via http.RoundTripper, url, want string) {
	b.t.Helper()
	resp, err := (&http.Client{Transport: via, Timeout: patience}).Get(url)
	if err != nil {
		b.t.Fatal(err)
	}
	defer resp.Body.Close()
	if got, err := io.ReadAll(resp.Body); string(got) != want {
		b.t.Errorf("%s: answered %q, %v; want %q", url, got, err, want)
	}
}

// connect opens a connection that a test talks over by itself.
func (b *bench) connect(addr string) net.Conn {
	b.t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		b.t.Fatal(err)
	}
	_ = c.SetDeadline(time.Now().Add(patience))
	b.t.Cleanup(func() { c.Close() })
	return c
}

// otherProtocol talks with a server that speaks first.
func (b *bench) otherProtocol() {
	b.t.Helper()
	c := b.connect("127.0.0.2:25")
	greeting := make([]byte, len("220 mail\r\n"))
	if _, err := io.ReadFull(c, greeting); err != nil {
		b.t.Fatal(err)
	}
	_, _ = io.WriteString(c, "EHLO\r\n")
	if rest, err := io.ReadAll(c); string(greeting)+string(rest) != "220 mail\r\n250 EHLO\r\n" {
		b.t.Errorf("the server said %q%q, %v", greeting, rest, err)
	}
}

// nobodyThere is what becomes of connections that would have been refused.
func (b *bench) nobodyThere() {
	b.t.Helper()
	for _, scheme := range []string{"http", "https"} {
		out, status := b.sh("curl -sSk --max-time 20 " + scheme + "://127.0.0.2:81/nobody")
		if status != 56 && status != 35 || !strings.Contains(out, "reset") {
			b.t.Errorf("%s: curl exits with %d: %s", scheme, status, out)
		}
	}
}

// notRedirected comes to the recorder itself.
func (b *bench) notRedirected(p *process) {
	b.t.Helper()
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(p.url(), "http://"))
	out := b.must("curl -sS -i --max-time 20 http://127.0.0.1:" + port + "/direct")
	if !strings.HasPrefix(out, "HTTP/1.1 502 ") || !strings.Contains(out, "Flaketap-Fault: dial") || !strings.Contains(out, "was not redirected") {
		b.t.Errorf("answered %s", out)
	}
}
