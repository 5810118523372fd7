package hub_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	natsserver "github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"

	"github.com/flaketap/flaketap/capture/hub"
	"github.com/flaketap/flaketap/capture/ship"
	"github.com/flaketap/flaketap/internal/certs"
)

// company is who runs a cluster of its own: an operator, whose account has users.
type company struct {
	operator  *jwt.OperatorClaims
	accounts  natsserver.MemAccResolver
	system    string
	account   nkeys.KeyPair
	authority *certs.Authority
	pair      [2]string
	routes    []*url.URL
}

// keyPair makes a key, and returns its public half as well.
func keyPair(t *testing.T, make func() (nkeys.KeyPair, error)) (nkeys.KeyPair, string) {
	t.Helper()
	pair, err := make()
	if err != nil {
		t.Fatal(err)
	}
	public, err := pair.PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	return pair, public
}

func newCompany(t *testing.T) *company {
	t.Helper()
	dir := t.TempDir()
	authority, err := certs.LoadOrCreate(filepath.Join(dir, "ca"))
	if err != nil {
		t.Fatal(err)
	}
	operatorKey, operator := keyPair(t, nkeys.CreateOperator)
	c := &company{operator: jwt.NewOperatorClaims(operator), authority: authority, pair: newPair(t, authority, dir)}
	if _, err := c.operator.Encode(operatorKey); err != nil {
		t.Fatal(err)
	}
	account := func(public string, jetstream bool) {
		claims := jwt.NewAccountClaims(public)
		if jetstream {
			claims.Limits.JetStreamLimits = jwt.JetStreamLimits{MemoryStorage: -1, DiskStorage: -1, Streams: -1, Consumer: -1}
		}
		token, err := claims.Encode(operatorKey)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.accounts.Store(public, token); err != nil {
			t.Fatal(err)
		}
	}
	_, c.system = keyPair(t, nkeys.CreateAccount)
	pair, public := keyPair(t, nkeys.CreateAccount)
	c.account = pair
	account(c.system, false)
	account(public, true)
	for range 3 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		c.routes = append(c.routes, &url.URL{Scheme: "nats", Host: l.Addr().String()})
		l.Close()
	}
	return c
}

// node starts a node of the cluster, in a folder.
func (c *company) node(t *testing.T, number int, dir string) *natsserver.Server {
	t.Helper()
	pair, err := tls.LoadX509KeyPair(c.pair[0], c.pair[1])
	if err != nil {
		t.Fatal(err)
	}
	route, err := net.ResolveTCPAddr("tcp", c.routes[number].Host)
	if err != nil {
		t.Fatal(err)
	}
	s, err := natsserver.NewServer(&natsserver.Options{ServerName: fmt.Sprint("node-", number), Host: "127.0.0.1",
		Port: natsserver.RANDOM_PORT, TrustedOperators: []*jwt.OperatorClaims{c.operator}, SystemAccount: c.system,
		AccountResolver: &c.accounts, TLS: true, TLSTimeout: 5,
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12},
		Cluster:   natsserver.ClusterOpts{Name: "ours", Host: "127.0.0.1", Port: route.Port}, Routes: c.routes,
		JetStream: true, StoreDir: dir, JetStreamMaxStore: 1 << 30, NoSigs: true, NoLog: true})
	if err != nil {
		t.Fatal(err)
	}
	go s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	return s
}

// credentials writes the file of a user who may do what docs/many-machines.md says is needed for a name, and no more.
func (c *company) credentials(t *testing.T, name string) string {
	t.Helper()
	user, public := keyPair(t, nkeys.CreateUser)
	claims := jwt.NewUserClaims(public)
	claims.Pub.Allow.Add("$JS.API.>", "$KV.flaketap-"+name+".>", "flaketap."+name+".>")
	claims.Sub.Allow.Add("_INBOX.>")
	token, err := claims.Encode(c.account)
	if err != nil {
		t.Fatal(err)
	}
	seed, err := user.Seed()
	if err != nil {
		t.Fatal(err)
	}
	file, err := jwt.FormatUserConfig(token, seed)
	path := filepath.Join(t.TempDir(), "user.creds")
	if err = errors.Join(err, os.WriteFile(path, file, 0o600)); err != nil {
		t.Fatal(err)
	}
	return path
}

// A cluster of somebody else's, of three nodes under TLS, whose users have credentials of an operator: each exchange is
// kept in three places, one node that dies is no matter, and a user of another name is refused.
func TestCluster(t *testing.T) {
	c := newCompany(t)
	var nodes []*natsserver.Server
	dirs := []string{t.TempDir(), t.TempDir(), t.TempDir()}
	for i, dir := range dirs {
		nodes = append(nodes, c.node(t, i, dir))
	}
	for _, node := range nodes {
		if !node.ReadyForConnections(time.Minute) {
			t.Fatal("a node does not start")
		}
	}
	address := "tls://" + nodes[0].Addr().String() + "/n"
	open := func(credential string) *hub.Link {
		t.Helper()
		l, err := hub.Dial(address, hub.Options{Credential: credential, CA: c.authority.CertFile()})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(l.Close)
		return l
	}
	l := open(c.credentials(t, "n"))
	db := recording(t, "a")
	record(t, db, 20, noise(40<<10))
	send(t, db, l, "a") // which waits until the cluster has a leader
	status, err := l.Status(t.Context(), time.Now())
	if err != nil || len(status.Names) != 1 || status.Names[0].Replicas != 3 {
		t.Fatalf("%+v, %v", status, err)
	}
	nodes[0].Shutdown() // the one that the recorder speaks with
	nodes[0].WaitForShutdown()
	for i := range 20 {
		recordOne(t, db, epoch, 20+i, "{}")
	}
	ending(t, db)
	send(t, db, l, "a")
	path := filepath.Join(t.TempDir(), "all.db")
	all, passes := collected(t, l, path)
	counts(t, all, passes, map[string]int{"a": 40})

	c.node(t, 0, dirs[0])
	address = "tls://" + nodes[1].Addr().String() + "/n"
	other := quick("b")
	b := recording(t, "b")
	record(t, b, 1, "{}")
	another := open(c.credentials(t, "m"))
	refused := errors.New("not asked")
	for !errors.Is(refused, ship.ErrRefused) {
		short, cancel := context.WithTimeout(t.Context(), time.Second) // what may not be done is not answered
		refused = another.Agree(short, ship.Terms{Format: 1, Secrets: ship.Revealed})
		cancel()
	}
	if !strings.Contains(refused.Error(), "the user of the credential may not do that") {
		t.Errorf("a user of another name: %v", refused)
	}
	stranger := newCompany(t)
	if err := sending(t, b, open(stranger.credentials(t, "n")), other); !errors.Is(err, ship.ErrRefused) || !strings.Contains(err.Error(), "--hub-credential") {
		t.Errorf("a user of another company: %v", err)
	}
	send(t, b, open(c.credentials(t, "n")), "b")
	if all, _ := collected(t, l, path); len(all) != 41 {
		t.Errorf("%d of 41 exchanges", len(all))
	}
}

// A server of NATS that lets in a key, under TLS, with no more configuration than that, serves as a hub.
func TestServerWithKey(t *testing.T) {
	dir := t.TempDir()
	authority, err := certs.LoadOrCreate(filepath.Join(dir, "ca"))
	if err != nil {
		t.Fatal(err)
	}
	files := newPair(t, authority, dir)
	pair, err := tls.LoadX509KeyPair(files[0], files[1])
	if err != nil {
		t.Fatal(err)
	}
	user, public := keyPair(t, nkeys.CreateUser)
	seed, err := user.Seed()
	if err != nil {
		t.Fatal(err)
	}
	key := filepath.Join(dir, "user.nk")
	if err := os.WriteFile(key, seed, 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := natsserver.NewServer(&natsserver.Options{Host: "127.0.0.1", Port: natsserver.RANDOM_PORT, JetStream: true,
		StoreDir: filepath.Join(dir, "store"), NoSigs: true, NoLog: true, Nkeys: []*natsserver.NkeyUser{{Nkey: public}},
		TLS: true, TLSTimeout: 5, TLSConfig: &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}})
	if err != nil {
		t.Fatal(err)
	}
	go s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(time.Minute) {
		t.Fatal("the server does not start")
	}
	l, err := hub.Dial("tls://"+s.Addr().String()+"/n", hub.Options{Credential: key, CA: authority.CertFile()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	db := recording(t, "a")
	record(t, db, 3, "{}")
	ending(t, db)
	send(t, db, l, "a")
	all, passes := collected(t, l, filepath.Join(t.TempDir(), "all.db"))
	counts(t, all, passes, map[string]int{"a": 3})
}
