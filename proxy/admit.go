package proxy

import (
	"bytes"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"strings"

	"github.com/flaketap/flaketap/internal/tcp"
	"github.com/flaketap/flaketap/internal/wire"
)

// admits reports whether a request, by its head as it was sent, may be served. What takes this for a proxy must bear
// the credentials where there are some; what is for the target as for the API itself need not.
func (p *Proxy) admits(head []byte) bool {
	if p.Auth == "" || p.ReverseOnly {
		return true
	}
	parsed := wire.ParseHead(head)
	method, target, _, _ := wire.RequestLine(parsed.Line)
	if _, _, _, absolute := splitAbsolute(method, target); !absolute && method != "CONNECT" && p.reverse() {
		return true
	}
	for _, value := range parsed.Fields.Values("Proxy-Authorization") {
		if sameCredentials(value, p.Auth) {
			return true
		}
	}
	return false
}

// sameCredentials reports whether a field's value has the credentials in the scheme Basic (RFC 7617). It takes as long
// whatever they are.
func sameCredentials(value, want string) bool {
	scheme, encoded, _ := strings.Cut(strings.TrimSpace(value), " ")
	if !strings.EqualFold(scheme, "Basic") {
		return false
	}
	got, err := base64.StdEncoding.DecodeString(strings.TrimSpace(encoded))
	if err != nil {
		return false
	}
	return sameSecret(string(got), want)
}

// sameSecret compares in the same time whatever the two are.
func sameSecret(got, want string) bool {
	a, b := sha256.Sum256([]byte(got)), sha256.Sum256([]byte(want))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

// mayReach reports whether the client may be taken to a destination.
func (s *session) mayReach(d destination) bool {
	return !s.p.ForwardLocal || d.ours != "" || tcp.Loopback(s.raw.RemoteAddr())
}

// deny says to a client that it lacks the proxy's credentials. What was not served is not recorded: nobody without them
// gets to write into the recording.
func (s *session) deny() {
	s.p.count.denied.Add(1)
	s.p.log.Info("a request without the proxy's credentials was refused", "client", s.raw.RemoteAddr().String())
	s.say("407 Proxy Authentication Required", "Flaketap-Fault: auth\r\nProxy-Authenticate: Basic realm=\"flaketap\"\r\n",
		"this proxy asks for credentials (Proxy-Authorization)")
}

// forbid says to a client of another machine that it is not taken to other hosts than the target.
func (s *session) forbid() {
	s.denyReach()
	text := "without proxy credentials, other machines get to the target alone"
	if s.p.Redirected != nil {
		text = "this connection was not redirected, and without proxy credentials other machines are served no other"
	}
	s.say("403 Forbidden", "Flaketap-Fault: auth\r\n", text)
}

// denyReach counts what forbid says.
func (s *session) denyReach() {
	s.p.count.denied.Add(1)
	s.p.log.Info("a request of another machine for another host than the target was refused", "client",
		s.raw.RemoteAddr().String())
}

// turnAway answers a request that is not served, once those before it have been. It takes the place of
// [forwarder.begin].
func (f *forwarder) turnAway(answer func()) next {
	if f.link == nil || f.leave() {
		answer()
	}
	return stop
}

// stripped returns a head as it is recorded: without the fields that were for this proxy, where they hold its
// credentials.
func (p *Proxy) stripped(head []byte) []byte {
	if p.Auth == "" {
		return bytes.Clone(head)
	}
	return bytes.Clone(withoutProxyFields(head))
}
