package hub_test

import (
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/flaketap/flaketap/capture/collect"
	"github.com/flaketap/flaketap/capture/hub"
	"github.com/flaketap/flaketap/capture/hub/server"
	"github.com/flaketap/flaketap/capture/ship"
	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/certs"
	"github.com/flaketap/flaketap/internal/testbed/cluster"
	"github.com/flaketap/flaketap/store"
)

// start starts a hub in a folder.
func start(t *testing.T, o server.Options) *server.Server {
	t.Helper()
	if o.Listen == "" {
		o.Listen = "127.0.0.1:0"
	}
	s, err := server.Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// dial links to a hub at an address.
func dial(t *testing.T, address, dir string) *hub.Link {
	t.Helper()
	l, err := hub.Dial(address, hub.Options{Credential: filepath.Join(dir, server.CredentialFile)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	return l
}

var epoch = time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)

// recording makes a file with a pass that goes on.
func recording(t *testing.T, name string) *store.Store {
	t.Helper()
	db, err := store.Create(filepath.Join(t.TempDir(), name+".db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	if _, err := db.BeginPass(exchange.Pass{Label: name, Started: epoch, Start: exchange.StartUnknown}); err != nil {
		t.Fatal(err)
	}
	return db
}

func record(t *testing.T, db *store.Store, n int, body string) {
	t.Helper()
	recordAt(t, db, epoch, n, body)
}

func recordAt(t *testing.T, db *store.Store, at time.Time, n int, body string) {
	t.Helper()
	for i := range n {
		recordOne(t, db, at, i, body)
	}
	if err := db.Flush(); err != nil {
		t.Fatal(err)
	}
}

// recordOne records a request for a path that is a number.
func recordOne(t *testing.T, db *store.Store, at time.Time, number int, body string) {
	t.Helper()
	e := &exchange.Exchange{Conn: 1, Scheme: "http", Addr: "127.0.0.1:80", Target: "default", Start: at, Latency: time.Millisecond}
	e.Request = exchange.ParseRequest(exchange.Message{Head: fmt.Appendf(nil, "GET /%d HTTP/1.1\r\nHost: a\r\n\r\n", number)})
	e.Response = exchange.ParseResponse(exchange.Message{
		Head: fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n", len(body)), Body: []byte(body)})
	if err := db.Record(e); err != nil {
		t.Fatal(err)
	}
}

func ending(t *testing.T, db *store.Store) {
	t.Helper()
	if err := db.EndPass(epoch.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
}

// quick are options for tests: nothing waits for company, nor long for a hub.
func quick(machine string) ship.Options {
	return ship.Options{Machine: machine, Linger: time.Nanosecond, Pause: time.Millisecond}
}

// send sends what is in a file.
func send(t *testing.T, db *store.Store, l *hub.Link, machine string) *ship.Shipper {
	t.Helper()
	s, err := ship.Start(db, l, quick(machine))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Finish(t.Context(), time.Minute); err != nil {
		t.Fatal(err)
	}
	return s
}

// sending sends what is in a file, and returns why it is not sent.
func sending(t *testing.T, db *store.Store, l *hub.Link, o ship.Options) error {
	t.Helper()
	s, err := ship.Start(db, l, o)
	if err != nil {
		t.Fatal(err)
	}
	return s.Finish(t.Context(), time.Minute)
}

// copyOf copies a recording as it is now, as a user does.
func copyOf(t *testing.T, db *store.Store) (path string) {
	t.Helper()
	data, err := os.ReadFile(db.Path())
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "copy.db")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// collectInto collects into a file. What is left of a recorder is an error, too.
func collectInto(t *testing.T, l *hub.Link, path string) error {
	t.Helper()
	c, err := collect.Collect(t.Context(), collect.Options{Hub: l, DB: path})
	return errors.Join(err, c.Err())
}

// collected collects into a new file and returns its exchanges and passes.
func collected(t *testing.T, l *hub.Link, path string) ([]*exchange.Exchange, []exchange.Pass) {
	t.Helper()
	if err := collectInto(t, l, path); err != nil {
		t.Fatal(err)
	}
	db, err := store.OpenReadOnly(path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rec, err := db.Recording()
	if err != nil {
		t.Fatal(err)
	}
	var all []*exchange.Exchange
	for e, err := range db.Exchanges() {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	return all, rec.Passes
}

// counts holds that a file has so many exchanges of each machine, each once and in order.
func counts(t *testing.T, all []*exchange.Exchange, passes []exchange.Pass, want map[string]int) {
	t.Helper()
	got := map[string]int{}
	for _, e := range all {
		machine := passes[e.Pass-1].Origin.Machine
		if path := fmt.Sprintf("/%d", got[machine]); e.Request.Target != path {
			t.Fatalf("exchange %d of %s asks for %s, want %s", got[machine], machine, e.Request.Target, path)
		}
		got[machine]++
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("collected %v, want %v", got, want)
	}
}

// What two recorders send is collected at once, and bit by bit; equal large bodies travel once.
func TestFanIn(t *testing.T) {
	dir := t.TempDir()
	s := start(t, server.Options{Dir: dir})
	l := dial(t, s.Address()+"/nightly", dir)
	a, b := recording(t, "a"), recording(t, "b")
	body := strings.Repeat("0123456789", 5000)
	record(t, a, 600, "{}")
	send(t, a, l, "a")
	bits := filepath.Join(t.TempDir(), "bits.db")
	collected(t, l, bits)
	record(t, b, 3, body)
	ending(t, b)
	first := send(t, b, l, "b").Bytes()
	c := recording(t, "c")
	record(t, c, 3, body)
	ending(t, c)
	if again := send(t, c, dial(t, s.Address()+"/nightly", dir), "c").Bytes(); again > first+100 {
		t.Errorf("a body that the hub has was sent again: %d bytes, first %d", again, first)
	}
	ending(t, a)
	send(t, a, l, "a")

	all, passes := collected(t, l, bits)
	counts(t, all, passes, map[string]int{"a": 600, "b": 3, "c": 3})
	whole, wholePasses := collected(t, l, filepath.Join(t.TempDir(), "whole.db"))
	if !reflect.DeepEqual(all, whole) || !reflect.DeepEqual(passes, wholePasses) {
		t.Error("collected bit by bit it is another recording than at once")
	}
	for _, p := range passes {
		if !p.Ended.Equal(epoch.Add(time.Hour)) {
			t.Errorf("pass %+v has no end", p)
		}
	}

	status, err := l.Status(t.Context(), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if len(status.Names) != 1 || len(status.Names[0].Recorders) != 3 || len(status.Findings) != 0 {
		t.Errorf("status is %+v", status)
	}
	for _, r := range status.Names[0].Recorders {
		if !r.Done || r.Lag != 0 || r.Shipped == 0 {
			t.Errorf("recorder %+v is not done", r)
		}
	}
	if err := l.Remove(t.Context()); err != nil {
		t.Fatal(err)
	}
	if status, err = l.Status(t.Context(), time.Now()); err != nil || len(status.Names) != 0 {
		t.Errorf("after its removal: %+v, %v", status, err)
	}
}

// The hub is away while a recorder records, and comes back with all that it acknowledged: nothing is lost, nothing
// twice.
func TestHubComesBack(t *testing.T) {
	dir := t.TempDir()
	s := start(t, server.Options{Dir: dir})
	at := strings.TrimPrefix(s.Address(), "nats://")
	wire := cluster.NewWire(t, at)
	l := dial(t, "nats://"+wire.Addr+"/n", dir)
	db := recording(t, "a")
	var said sayings
	o := quick("a")
	o.Say = said.say
	shipper, err := ship.Start(db, l, o)
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	one := func() {
		recordOne(t, db, epoch, total, "{}")
		if total++; total%10 == 0 {
			if err := db.Flush(); err != nil {
				t.Fatal(err)
			}
		}
	}
	until := func(what string, reached func() bool) {
		t.Helper()
		for deadline := time.Now().Add(time.Minute); !reached(); time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatal("never: ", what)
			}
		}
	}
	for range 100 {
		one()
	}
	until("the first exchanges arrive", func() bool { return shipper.Sent() >= 100 })
	for range 3 {
		wire.Cut()
		before := said.count()
		for range 50 {
			one()
		}
		until("the recorder says that the hub is away", func() bool { return said.count() > before })
		s.Close()
		s = start(t, server.Options{Dir: dir, Listen: at})
		wire.Mend()
		until("what was recorded meanwhile arrives", func() bool { return shipper.Sent() >= uint64(total)/10*10 })
	}
	ending(t, db)
	if err := shipper.Finish(t.Context(), time.Minute); err != nil {
		t.Fatal(err)
	}
	all, passes := collected(t, l, filepath.Join(t.TempDir(), "all.db"))
	counts(t, all, passes, map[string]int{"a": total})
}

// A hub without room refuses what is new and keeps what it has; with room the recorder goes on.
func TestFullHub(t *testing.T) {
	dir := t.TempDir()
	s := start(t, server.Options{Dir: dir, MaxBytes: 1 << 20})
	l := dial(t, s.Address()+"/n", dir)
	db := recording(t, "a")
	record(t, db, 10, "{}")
	send(t, db, l, "a")
	big := recording(t, "b")
	record(t, big, 1, noise(3<<20))
	var said sayings
	o := quick("b")
	o.Say = said.say
	shipper, err := ship.Start(big, l, o)
	if err != nil {
		t.Fatal(err)
	}
	for said.count() == 0 {
		time.Sleep(time.Millisecond)
	}
	err = shipper.Finish(t.Context(), time.Millisecond)
	if err == nil || !strings.Contains(err.Error(), "resource") && !strings.Contains(err.Error(), "storage") {
		t.Errorf("a full hub gives %v", err)
	}
	s.Close()
	s = start(t, server.Options{Dir: dir})
	l = dial(t, s.Address()+"/n", dir)
	send(t, big, l, "b")
	all, passes := collected(t, l, filepath.Join(t.TempDir(), "all.db"))
	counts(t, all, passes, map[string]int{"a": 10, "b": 1})
}

// noise is text that no packer makes much smaller.
func noise(n int) string {
	var out strings.Builder
	for state := uint64(1); out.Len() < n; {
		state = state*6364136223846793005 + 1442695040888963407
		fmt.Fprintf(&out, "%x", state>>8)
	}
	return out.String()
}

// What waiting does not mend is refused at once, in words that say what to do.
func TestRefusals(t *testing.T) {
	dir := t.TempDir()
	s := start(t, server.Options{Dir: dir})
	db := recording(t, "a")
	record(t, db, 1, "{}")
	key, other := []byte(strings.Repeat("k", 32)), []byte(strings.Repeat("o", 32))
	first := quick("a")
	first.Key = key
	try := func(l *hub.Link, o ship.Options) error { return sending(t, db, l, o) }
	if err := try(dial(t, s.Address()+"/n", dir), first); err != nil {
		t.Fatal(err)
	}
	second := first
	second.Key = other
	stranger := t.TempDir()
	if _, err := server.Credential(filepath.Join(stranger, server.CredentialFile)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what string
		err  error
		want string
	}{
		{"another key", try(dial(t, s.Address()+"/n", dir), second), "--token-key"},
		{"revealed", try(dial(t, s.Address()+"/n", dir), quick("a")), "tokens in the place of secrets"},
		{"another credential", try(dial(t, s.Address()+"/n", stranger), first), "--hub-credential"},
	} {
		if !errors.Is(c.err, ship.ErrRefused) || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%s: %v", c.what, c.err)
		}
	}
	if err := dial(t, s.Address()+"/n", dir).Agree(t.Context(), ship.Terms{Format: 99, Secrets: ship.TokensOf(key)}); !errors.Is(err, ship.ErrRefused) ||
		!strings.Contains(err.Error(), "format") {
		t.Errorf("a later format: %v", err)
	}
	if _, err := dial(t, s.Address()+"/never", dir).Terms(t.Context()); err == nil || !strings.Contains(err.Error(), "nothing was sent") {
		t.Errorf("a name that nobody sends to: %v", err)
	}
}

// An older copy of a file that is there already is refused.
func TestOlderCopy(t *testing.T) {
	dir := t.TempDir()
	s := start(t, server.Options{Dir: dir})
	l := dial(t, s.Address()+"/n", dir)
	db := recording(t, "a")
	record(t, db, 1, "{}")
	copied := copyOf(t, db)
	record(t, db, 1, "{}")
	send(t, db, l, "a")
	old, err := store.OpenReadOnly(copied)
	if err != nil {
		t.Fatal(err)
	}
	defer old.Close()
	if err := sending(t, old, l, quick("a")); !errors.Is(err, ship.ErrRefused) || !strings.Contains(err.Error(), "older copy") {
		t.Errorf("an older copy: %v", err)
	}
}

// Status says of a recorder that fell silent what it has besides, and what to do.
func TestStatusOfASilentRecorder(t *testing.T) {
	dir := t.TempDir()
	s := start(t, server.Options{Dir: dir})
	l := dial(t, s.Address()+"/n", dir)
	if err := l.Agree(t.Context(), ship.Terms{Format: 1, Secrets: ship.Revealed}); err != nil {
		t.Fatal(err)
	}
	if err := l.Report(t.Context(), ship.Report{Recorder: "abc", Machine: "build-7", File: "f.db", Recorded: 12}); err != nil {
		t.Fatal(err)
	}
	now, err := l.Status(t.Context(), time.Now())
	if err != nil || len(now.Findings) != 0 {
		t.Errorf("just after its report: %v, %v", now.Findings, err)
	}
	later, err := l.Status(t.Context(), time.Now().Add(time.Hour))
	if err != nil || len(later.Findings) != 1 || !strings.Contains(later.Findings[0], "12 exchanges that are not here") ||
		!strings.Contains(later.Findings[0], "flaketap ship") {
		t.Errorf("an hour later: %v, %v", later.Findings, err)
	}
	if _, err := l.Append(t.Context(), "def", ship.Mark{}, ship.Mark{Through: 1, Pass: 1}, nil); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	mute, err := l.Status(t.Context(), time.Now())
	if err == nil {
		err = mute.Write(&out, "text")
	}
	if err != nil || len(mute.Findings) != 1 || !strings.Contains(mute.Findings[0], "never said") || strings.Contains(out.String(), "0001") {
		t.Errorf("of one that never reported: %v, %v\n%s", mute.Findings, err, &out)
	}
}

// The credential is for its owner only, and other machines are let in by TLS alone.
func TestSecureByDefault(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "hub")
	s := start(t, server.Options{Dir: dir})
	if _, err := server.Start(server.Options{Dir: dir, Listen: "127.0.0.1:0"}); !errors.Is(err, store.ErrLocked) {
		t.Errorf("a second hub in the same folder: %v", err)
	}
	taken := strings.TrimPrefix(s.Address(), "nats://")
	if _, err := server.Start(server.Options{Dir: t.TempDir(), Listen: taken}); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Errorf("a second hub at the same address: %v", err)
	}
	info, err := os.Stat(filepath.Join(dir, server.CredentialFile))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the credential has %v, %v", info.Mode(), err)
	}
	if _, err := server.Start(server.Options{Dir: dir, Listen: "0.0.0.0:0"}); err == nil || !strings.Contains(err.Error(), "--tls-cert") {
		t.Errorf("open to all without TLS: %v", err)
	}
	for text, want := range map[string]string{"nats://10.0.0.1/n": "TLS", "nats://127.0.0.1:1/n": "", "nats://localhost/n": "", "tls://10.0.0.1/n": ""} {
		if _, err := hub.Dial(text, hub.Options{}); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	for path, want := range map[string]string{filepath.Join(dir, "nope.crt"): "no such file", filepath.Join(dir, server.CredentialFile): "PEM"} {
		if _, err := hub.Dial("tls://10.0.0.1/n", hub.Options{CA: path}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("an authority that is none: %v", err)
		}
	}
	for _, text := range []string{"", "x", "http://a/n", "nats:///n", "nats://a/b c", "nats://a/b.c", "nats://u:p@a/n", "nats://a/" + strings.Repeat("n", 65)} {
		if a, err := hub.ParseAddress(text); err == nil {
			t.Errorf("%q is taken for %+v", text, a)
		}
	}
}

// sayings counts what was said.
type sayings struct {
	mu  sync.Mutex
	all []string
}

func (s *sayings) say(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, fmt.Sprintf(format, args...))
}

func (s *sayings) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.all)
}

func (s *sayings) first() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all[0]
}

// Under TLS a hub's certificate is held against the authority that the user names, and no other is taken.
func TestEncrypted(t *testing.T) {
	dir := t.TempDir()
	ca, err := certs.LoadOrCreate(filepath.Join(dir, "ca"))
	if err != nil {
		t.Fatal(err)
	}
	pair := newPair(t, ca, dir)
	s := start(t, server.Options{Dir: filepath.Join(dir, "hub"), TLSCert: pair[0], TLSKey: pair[1]})
	credential := filepath.Join(dir, "hub", server.CredentialFile)
	for _, c := range []struct {
		ca   string
		want error
	}{{ca.CertFile(), nil}, {"", ship.ErrRefused}} {
		l, err := hub.Dial(strings.Replace(s.Address(), "nats:", "tls:", 1)+"/n", hub.Options{Credential: credential, CA: c.ca})
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		if err := l.Agree(t.Context(), ship.Terms{Format: 1, Secrets: ship.Revealed}); !errors.Is(err, c.want) {
			t.Errorf("with the authority %q: %v, want %v", c.ca, err, c.want)
		}
	}
}

// newPair writes a certificate for this machine, and its key.
func newPair(t *testing.T, ca *certs.Authority, dir string) [2]string {
	t.Helper()
	leaf, err := ca.Leaf("127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	key, err := x509.MarshalPKCS8PrivateKey(leaf.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	out := [2]string{filepath.Join(dir, "hub.crt"), filepath.Join(dir, "hub.key")}
	var chain []byte
	for _, der := range leaf.Certificate {
		chain = append(chain, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})...)
	}
	if err := errors.Join(os.WriteFile(out[0], chain, 0o600),
		os.WriteFile(out[1], pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key}), 0o600)); err != nil {
		t.Fatal(err)
	}
	return out
}
