package replay

import (
	"bytes"
	"net/url"
	"testing"
)

// TestRecorderIsForgotten checks that without a target, too, the API is asked by its own name and not by the
// recorder's: an API may put the name that it is asked by into what it answers.
func TestRecorderIsForgotten(t *testing.T) {
	for _, c := range []struct{ scheme, addr, host, want string }{
		{"http", "127.0.0.1:8080", "127.0.0.1:8877", "127.0.0.1:8080"},
		{"http", "127.0.0.1:8080", "localhost:8877", "127.0.0.1:8080"},
		{"http", "127.0.0.1:8080", "localhost:8080", "localhost:8080"},
		{"https", "api.example:443", "127.0.0.1:8877", "api.example"},
		{"http", "[::1]:80", "127.0.0.1:8877", "[::1]"},
		{"http", "api.example:8080", "other.example", "other.example"},
	} {
		p := &tape{addr: c.addr}
		e := p.add("GET / HTTP/1.1\r\nHost: "+c.host+"\r\n\r\n", "")
		r := &run{player: &Player{Recorders: []string{"127.0.0.1:8877"}}}
		if got := r.rename(e.Request, e.Addr, endpoint{scheme: c.scheme, addr: c.addr}).Header.Get("Host"); got != c.want {
			t.Errorf("%s at %s: Host %q became %q, want %q", c.scheme, c.addr, c.host, got, c.want)
		}
	}
}

// TestForeignHosts checks that a target is sent nothing of what the client told other hosts.
func TestForeignHosts(t *testing.T) {
	p := &tape{addr: "id.example:80"}
	e := p.add("GET / HTTP/1.1\r\nHost: id.example\r\nAuthorization: Bearer x\r\n\r\n", "")
	target := &url.URL{Scheme: "http", Host: "127.0.0.1:9"}
	for recorded, want := range map[string]string{"api.example:80": skipForeign, "id.example:80": "", "": ""} {
		r := newRun(&Player{Target: target, Recorded: recorded})
		if got := r.plan(e).skip; got != want {
			t.Errorf("recorded at %q: skipped because %q, want %q", recorded, got, want)
		}
	}
}

// TestHost checks which Hosts name the target of a run: those that named the recorded one, or the recorder.
func TestHost(t *testing.T) {
	for _, c := range []struct{ name, host, want string }{
		{"the recorded target", "api.example:8080", "127.0.0.1:9"},
		{"the recorder", "localhost:8877", "127.0.0.1:9"},
		{"a further name", "Recorder:80", "127.0.0.1:9"},
		{"a recorder on all addresses", "ci-host:8878", "127.0.0.1:9"},
		{"another port of loopback", "127.0.0.1:8879", "127.0.0.1:8879"},
		{"made up by a fuzzer", "evil.example", "evil.example"},
		{"junk", "%%%:x", "%%%:x"},
		{"loopback without port", "localhost", "localhost"},
	} {
		p := &tape{addr: "api.example:8080"}
		e := p.add("GET / HTTP/1.1\r\nhost:   "+c.host+"\r\nOrigin: http://"+c.host+"\r\nReferer: http://"+c.host+"/a?b\r\nA: b\r\n\r\n", "")
		r := &run{player: &Player{Target: &url.URL{Scheme: "http", Host: "127.0.0.1:9"}, Recorders: []string{"recorder", "127.0.0.1:8877", "[::]:8878"}}}
		got := r.rename(e.Request, e.Addr, endpoint{scheme: "http", addr: "127.0.0.1:9"})
		if h := got.Header.Get("Host"); h != c.want {
			t.Errorf("%s: Host %q became %q, want %q", c.name, c.host, h, c.want)
		}
		if o, ref := got.Header.Get("Origin"), got.Header.Get("Referer"); o != "http://"+c.want || ref != "http://"+c.want+"/a?b" {
			t.Errorf("%s: Origin became %q, Referer %q", c.name, o, ref)
		}
		if c.host == c.want && !bytes.Equal(got.Head, e.Request.Head) {
			t.Errorf("%s: the head changed: %q", c.name, got.Head)
		}
	}
}
