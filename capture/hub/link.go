package hub

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"

	"github.com/flaketap/flaketap/capture/ship"
	"github.com/flaketap/flaketap/internal/console"
)

// Options say how a hub is reached.
type Options struct {
	// Credential is a file: the one that flaketap hub made, or any other nkey seed, or the credentials file of a
	// user; "" for a server that asks for none.
	Credential string
	// Own is the file of the credential of a hub on this machine, if there is one: it is taken where no other is
	// named.
	Own string
	// CA is a file of certificates that the server's is checked against; "" takes those of the system.
	CA string
	// Plaintext lets what is sent pass another network than loopback unencrypted.
	Plaintext bool
	// Within, if not nil, is the server itself, in this process: it is spoken with over no network.
	Within nats.InProcessConnProvider
}

// The times of a link.
const (
	dialTimeout    = 5 * time.Second
	requestTimeout = 10 * time.Second
)

// longestName bounds NAME.
const longestName = 64

// Address is where a hub is, and what is meant there.
type Address struct {
	Server string // as package nats wants it
	Name   string // "" where none was given
	Local  bool   // it is on this machine
	TLS    bool   // the scheme asks for it
}

// ParseAddress reads an address such as nats://HOST:PORT/NAME.
func ParseAddress(text string) (Address, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "nats" && u.Scheme != "tls" || u.User != nil || u.RawQuery != "" {
		return Address{}, fmt.Errorf("a hub is named nats://HOST:PORT/NAME, got %q", text)
	}
	port := u.Port()
	if port == "" {
		port = "4222"
	}
	a := Address{Server: u.Scheme + "://" + net.JoinHostPort(u.Hostname(), port), Name: strings.Trim(u.Path, "/"),
		TLS: u.Scheme == "tls"}
	ip := net.ParseIP(u.Hostname())
	a.Local = u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
	if a.Name != "" && !goodName(a.Name) {
		return a, fmt.Errorf("the NAME in nats://HOST:PORT/NAME is up to %d letters, digits, - and _, got %q",
			longestName, a.Name)
	}
	return a, nil
}

func goodName(name string) bool {
	return len(name) <= longestName && !strings.ContainsFunc(name, func(r rune) bool {
		return r != '-' && r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	})
}

// Link is a connection to a hub, made when it is first needed and again when it was lost. Its methods may be called
// from several goroutines.
type Link struct {
	address Address
	options []nats.Option

	mu    sync.Mutex
	conn  *nats.Conn
	js    patient
	known map[string]bool // names of pieces that are there

	forbidden atomic.Pointer[error] // what the server said last that the user may not do
}

// Dial returns a link to the hub at an address. Nothing is sent yet; what is wrong with the address and the options
// is an error, of the one who gave them.
func Dial(address string, o Options) (*Link, error) {
	a, err := ParseAddress(address)
	if err != nil {
		return nil, console.Usage(err)
	}
	l, err := newLink(a, o)
	if err != nil {
		return nil, console.Usage(err)
	}
	return l, nil
}

// DialName is [Dial] for an address that has to have a NAME.
func DialName(address string, o Options) (*Link, error) {
	l, err := Dial(address, o)
	if err == nil && l.address.Name == "" {
		return nil, console.Usage(fmt.Errorf("%s has no NAME: want nats://HOST:PORT/NAME, the same NAME for all that work together", address))
	}
	return l, err
}

func newLink(a Address, o Options) (*Link, error) {
	if _, err := os.Stat(o.Own); err == nil && a.Local && o.Credential == "" {
		o.Credential = o.Own
	}
	l := &Link{address: a, known: map[string]bool{}, options: []nats.Option{
		nats.Name("flaketap"), nats.Timeout(dialTimeout), nats.MaxReconnects(-1), nats.ReconnectWait(250 * time.Millisecond),
		nats.ReconnectBufSize(-1), // what cannot be sent is kept by the one who sends it
	}}
	l.options = append(l.options, nats.ReconnectHandler(func(*nats.Conn) { l.forget() }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { l.forbid(err) }))
	if o.Credential != "" {
		credential, err := credentialOption(o.Credential)
		if err != nil {
			return nil, err
		}
		l.options = append(l.options, credential)
	}
	switch {
	case o.Within != nil:
		l.options = append(l.options, nats.InProcessServer(o.Within))
	case a.TLS || o.CA != "":
		config := &tls.Config{MinVersion: tls.VersionTLS12}
		if o.CA != "" {
			var err error
			if config.RootCAs, err = authorities(o.CA); err != nil {
				return nil, err
			}
		}
		l.options = append(l.options, nats.Secure(config))
	case !a.Local && !o.Plaintext:
		return nil, fmt.Errorf("%s is another machine, and nats:// does not ask for TLS: "+
			"use tls:// or give the server's CA; in a network that you trust --hub-plaintext sends unencrypted", a.Server)
	}
	return l, nil
}

// authorities reads the certificates of a file.
func authorities(path string) (*x509.CertPool, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the hub's authority: %w", err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(data) {
		return nil, fmt.Errorf("read the hub's authority: %s holds no certificate: want PEM", path)
	}
	return roots, nil
}

// credentialOption reads a credential, whose content says what it is.
func credentialOption(path string) (nats.Option, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read credential: %w", err)
	}
	if bytes.Contains(data, []byte("BEGIN NATS USER JWT")) {
		return nats.UserCredentials(path), nil
	}
	pair, err := nkeys.FromSeed(bytes.TrimSpace(data))
	if err != nil {
		return nil, fmt.Errorf("read credential: %s holds neither an nkey seed nor the credentials of a user", path)
	}
	public, err := pair.PublicKey()
	if err != nil {
		return nil, fmt.Errorf("read credential: %w", err)
	}
	return nats.Nkey(public, pair.Sign), nil
}

// Close closes the connection.
func (l *Link) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.conn != nil {
		l.conn.Close()
	}
}

// jet returns the connection, which may have been lost.
func (l *Link) jet() (patient, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.conn != nil && !l.conn.IsClosed() {
		return l.js, nil
	}
	conn, err := nats.Connect(l.address.Server, l.options...)
	if err != nil {
		return patient{}, l.explain(err)
	}
	js, err := jetstream.New(conn)
	if err == nil {
		err = l.recent(conn.ConnectedServerVersion())
	}
	if err != nil {
		conn.Close()
		return patient{}, err
	}
	l.conn, l.js, l.known = conn, patient{js}, map[string]bool{}
	return l.js, nil
}

// The codes with which a server has no room: for the account, on its disk, in a cluster, and in a stream.
const (
	codeAccount = 10002
	codeDisk    = 10047
	codeCluster = 10023
	codeStream  = 10077
)

// full reports whether an error is that there is no room.
func full(err error) bool { return coded(err, codeAccount, codeDisk, codeCluster, codeStream) }

// coded reports whether a server answered with an error of one of these codes.
func coded(err error, codes ...jetstream.ErrorCode) bool {
	api := (*jetstream.APIError)(nil)
	return errors.As(err, &api) && slices.Contains(codes, api.ErrorCode)
}

// leastMajor and leastMinor are the oldest version of a server of NATS that does all that is asked of a hub.
const leastMajor, leastMinor = 2, 10

// recent holds that a server is no older than that. A version that says nothing is let be.
func (l *Link) recent(version string) error {
	var major, minor int
	if n, _ := fmt.Sscanf(version, "%d.%d", &major, &minor); n < 2 || major > leastMajor ||
		major == leastMajor && minor >= leastMinor {
		return nil
	}
	return fmt.Errorf("%w: the server at %s is older: it is NATS %s, "+
		"this flaketap needs %d.%d or later: update the server",
		ship.ErrRefused, l.address.Server, version, leastMajor, leastMinor)
}

// forbid remembers that the user may not do what was asked for: the server answers that apart, and not the request.
func (l *Link) forbid(err error) {
	if errors.Is(err, nats.ErrPermissionViolation) {
		l.forbidden.Store(&err)
	}
}

// unanswered says why nothing was answered.
func (l *Link) unanswered(err error) error {
	if forbidden := l.forbidden.Load(); forbidden != nil {
		return fmt.Errorf("%w: the user of the credential may not do that at %s (%w): give it the rights of %s",
			ship.ErrRefused, l.address.Server, *forbidden, l.address.Name)
	}
	if errors.Is(err, nats.ErrReconnectBufExceeded) { // nothing is kept for later
		err = errors.New("the connection is lost")
	}
	return console.Advise(fmt.Errorf("no hub answers at %s: %w", l.address.Server, err),
		"flaketap hub runs one; give the address of another as nats://HOST:PORT")
}

// explain says of an error whether waiting mends it, and in terms of what the user gave.
func (l *Link) explain(err error) error {
	var certificate *tls.CertificateVerificationError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, nats.ErrAuthorization), errors.Is(err, nats.ErrAuthExpired), errors.Is(err, nats.ErrAuthRevoked):
		return fmt.Errorf("%w: %s does not take the credential: give --hub-credential the file of this hub",
			ship.ErrRefused, l.address.Server)
	case errors.As(err, &certificate):
		return fmt.Errorf("%w: the certificate of %s cannot be verified (%w): --hub-ca FILE trusts its authority, for the names that it holds",
			ship.ErrRefused, l.address.Server, err)
	case errors.Is(err, nats.ErrSecureConnRequired), errors.Is(err, nats.ErrSecureConnWanted):
		return fmt.Errorf("%w: %s: %w", ship.ErrRefused, l.address.Server, err)
	case errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount):
		return fmt.Errorf("%w: %s has no JetStream for this user", ship.ErrRefused, l.address.Server)
	case errors.Is(err, jetstream.ErrJetStreamNotEnabled): // so say one that starts, and a cluster without a leader, too
		return fmt.Errorf("%s has no JetStream, or it does not answer now: %w", l.address.Server, err)
	case full(err):
		return fmt.Errorf("the hub at %s is full (%w): collect what is there and remove names that are done "+
			"(flaketap hub remove), or give it a larger disk", l.address.Server, err)
	case errors.Is(err, nats.ErrNoServers), errors.Is(err, nats.ErrNoResponders), errors.Is(err, context.DeadlineExceeded),
		errors.Is(err, nats.ErrTimeout), errors.Is(err, nats.ErrReconnectBufExceeded):
		return l.unanswered(err)
	}
	return fmt.Errorf("hub at %s: %w", l.address.Server, err)
}
