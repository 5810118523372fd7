package upstream

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/internal/tcp"
	"github.com/flaketap/flaketap/replay/service"
)

// Dialer makes connections to APIs, as proxy.Proxy and replay.Player take it.
type Dialer = func(ctx context.Context, network, addr string) (net.Conn, error)

// chainTimeout bounds how long a proxy may take from the first byte of the connection to its answer to CONNECT.
const chainTimeout = 30 * time.Second

// maxChainHead bounds a proxy's answer to CONNECT, in bytes.
const maxChainHead = 64 << 10

// chain connects through a proxy, by CONNECT for whatever is spoken: so each byte arrives as it was sent, and what the
// proxy has to say itself is never taken for an answer of the API.
type chain struct {
	addr  string // of the proxy
	host  string // what its certificate is for
	tls   *tls.Config
	auth  string // the field with the credentials, or ""
	plain net.Dialer
}

// Dialer returns what connects to APIs through the proxy; nil where there is none. A proxy that speaks TLS is trusted
// as config trusts the API.
func (o Options) Dialer(config *tls.Config) (Dialer, error) {
	if o.Proxy == "" {
		return nil, nil
	}
	u, err := url.Parse(o.Proxy)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || strings.Trim(u.Path, "/") != "" ||
		u.RawQuery != "" {
		// What it is belongs on no terminal: there may be a password in it.
		return nil, console.Usage(errors.New(
			"--upstream-proxy must be a URL such as http://proxy:3128; in a password, write %2F for / and so on"))
	}
	k := &chain{addr: service.HostPort(u), host: u.Hostname(), plain: net.Dialer{Timeout: chainTimeout}}
	if o.Mark {
		k.plain.Control = tcp.SetMark
	}
	if u.Scheme == "https" {
		k.tls = config.Clone()
		k.tls.ServerName, k.tls.Certificates = k.host, nil // the client's certificate is for the API
		k.tls.NextProtos = []string{"http/1.1"}
	}
	if u.User != nil {
		password, _ := u.User.Password()
		k.auth = "Proxy-Authorization: Basic " +
			base64.StdEncoding.EncodeToString([]byte(u.User.Username()+":"+password)) + "\r\n"
	}
	return k.dial, nil
}

// dial connects to an API. An error names the proxy where it is the proxy's.
func (k *chain) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, chainTimeout)
	defer cancel()
	conn, err := k.plain.DialContext(ctx, network, k.addr)
	if err != nil {
		return nil, fmt.Errorf("reach the upstream proxy %s: %w", k.addr, err)
	}
	raw := conn
	stop := context.AfterFunc(ctx, func() { raw.Close() })
	if k.tls != nil {
		secure := tls.Client(conn, k.tls)
		if err = secure.HandshakeContext(ctx); err != nil {
			err = fmt.Errorf("reach the upstream proxy %s: %w", k.addr, err)
		}
		conn = secure
	}
	if err == nil {
		err = k.ask(conn, addr)
	}
	if !stop() {
		err = fmt.Errorf("reach %s through the upstream proxy %s: %w", addr, k.addr, os.ErrDeadlineExceeded)
	}
	if err != nil {
		raw.Close()
		return nil, err
	}
	return conn, nil
}

// ask has the proxy open a tunnel. The answer is read byte by byte: what follows it is the API's.
func (k *chain) ask(conn net.Conn, addr string) error {
	wrong := func(err error) error {
		return fmt.Errorf("reach %s through the upstream proxy %s: %w", addr, k.addr, err)
	}
	if _, err := fmt.Fprintf(conn, "CONNECT %s HTTP/1.1\r\nHost: %s\r\n%s\r\n", addr, addr, k.auth); err != nil {
		return wrong(err)
	}
	var head []byte
	for one := make([]byte, 1); !bytes.HasSuffix(head, []byte("\n\r\n")) &&
		!bytes.HasSuffix(head, []byte("\n\n")); head = append(head, one...) {
		if len(head) > maxChainHead {
			return wrong(errors.New("its answer is too long"))
		}
		if _, err := conn.Read(one); err != nil {
			return wrong(err)
		}
	}
	line, _, _ := bytes.Cut(head, []byte("\n"))
	proto, status, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
	switch {
	case !strings.HasPrefix(proto, "HTTP/1."):
		return wrong(fmt.Errorf("%.40q is not an answer of an HTTP proxy", line))
	case !strings.HasPrefix(status, "2"):
		return wrong(fmt.Errorf("it answered CONNECT with %.80q", status))
	}
	return nil
}
