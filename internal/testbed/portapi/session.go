package portapi

import (
	"encoding/hex"
	"fmt"
	"net/http"
	"time"

	"github.com/flaketap/flaketap/internal/testbed/service"
)

// The account of the office, whose secret is everyone's that may come in.
const (
	office       = "office-4"
	officeSecret = "bollard-and-cleat"
)

const (
	tokenTime   = 15 * time.Minute
	lockTime    = 15 * time.Minute
	maxFailures = 3
)

// session is a clerk at work.
type session struct {
	id     string
	since  time.Time
	layout string
}

// grant is a token that was given out.
type grant struct {
	id    string
	since time.Time
}

// lock counts a client's wrong secrets; from the third on it is closed.
type lock struct {
	failures int
	until    time.Time
}

func (a *API) sessionRoutes() []route {
	return []route{
		service.On("POST", "/auth/token", a.issueToken),
		service.On("POST", "/auth/introspect", a.introspect),
		service.On("GET", "/auth/session", a.getSession),
		service.On("DELETE", "/auth/session", a.endSession),
	}
}

// issueToken gives out a token and opens a session. Three wrong secrets lock a client out.
func (a *API) issueToken(r *request) answer {
	in, bad := decode[struct {
		Client string `json:"client_id"`
		Secret string `json:"client_secret"`
	}](a, r)
	if bad != nil {
		return *bad
	}
	if len(a.state.locks) >= maxEntries || len(a.state.sessions) >= maxEntries {
		return a.full(r)
	}
	if l := a.state.locks[in.Client]; l != nil && l.failures >= maxFailures {
		return a.locked(r, l)
	}
	if in.Secret != officeSecret {
		return a.wrongSecret(r, in.Client)
	}
	s := &session{id: a.hex(12), since: r.now, layout: []string{"A", "B", "C"}[a.rng.IntN(3)]}
	g := &grant{a.uuid4(), r.now}
	token := a.token(object{"iss": "https://port.example", "sub": in.Client, "iat": r.now.Unix(), "nbf": r.now.Unix(),
		"exp": r.now.Add(tokenTime).Unix(), "jti": g.id, "scope": "berths:read bookings:write"})
	a.state.sessions[s.id], a.state.tokens[token] = s, g
	return service.Reply(http.StatusOK, object{
		"access_token": token, "token_type": "Bearer", "expires_in": int(tokenTime.Seconds()),
		"refresh_token": "prt_" + a.draw(36, crockford+letters), "issued_at": r.now.Unix(),
		"expires_at": r.now.Add(tokenTime).Format("2006-01-02T15:04:05Z"), "scope": "berths:read bookings:write",
		"session_id": s.id, "client": object{"id": in.Client, "registered": "22 Nov 21", "secret_hint": "bol…",
			"api_key": "pk_live_51H8x0LKq2eZvKYlo2C", "public_key_sha256": sha("office public key")},
		"notice": "Your password was last changed on Sunday, November 22, 2020.",
	}).With("Cache-Control", "no-store").With("Set-Cookie",
		"port_sid="+s.id+"; Path=/; Expires="+r.now.Add(8*time.Hour).Format(http.TimeFormat)+"; HttpOnly; Secure")
}

// wrongSecret counts a failure.
func (a *API) wrongSecret(r *request, client string) answer {
	l := a.state.locks[client]
	if l == nil {
		l = &lock{}
		a.state.locks[client] = l
	}
	if l.failures++; l.failures >= maxFailures {
		l.until = r.now.Add(lockTime)
		return a.locked(r, l)
	}
	return a.problem(r, http.StatusUnauthorized, "secret", "The secret is wrong.", object{
		"attempts_left": maxFailures - l.failures, "attempts_allowed": maxFailures,
		"warning": fmt.Sprintf("%d of %d attempts used.", l.failures, maxFailures),
	}).With("Www-Authenticate", `Bearer realm="port", error="invalid_client"`)
}

// locked turns a client away for as long as its lock is closed.
func (a *API) locked(r *request, l *lock) answer {
	left := max(0, l.until.Sub(r.now))
	return a.problem(r, http.StatusLocked, "locked", "Too many wrong secrets.", object{
		"attempts_left": 0, "retry_after_ms": left.Milliseconds(), "locked_until": l.until.Format(time.RFC3339Nano),
		"message": fmt.Sprintf("Try again in %.3f seconds.", left.Seconds()), "policy": "3 attempts, then 15 minutes",
	}).With("Retry-After", fmt.Sprint(int(lockTime.Seconds())))
}

// introspect tells what a token says, as RFC 7662 has it.
func (a *API) introspect(r *request) answer {
	in, bad := decode[struct {
		Token string `json:"token"`
	}](a, r)
	if bad != nil {
		return *bad
	}
	g := a.state.tokens[in.Token]
	if g == nil {
		return a.missing(r)
	}
	return service.Reply(http.StatusOK, object{
		"active": true, "sub": office, "client_id": office, "username": "Yolande Kéïta", "token_type": "Bearer",
		"iat": g.since.Unix(), "nbf": g.since.Unix(), "exp": g.since.Add(tokenTime).Unix(), "jti": g.id,
		"scope": "berths:read bookings:write", "iss": r.absolute("/"), "aud": "https://port.example/api",
		"expires_in_ms": g.since.Add(tokenTime).Sub(r.now).Milliseconds(), "fingerprint": sha(in.Token),
		"audit": "token " + g.id + " was looked up", "key_thumbprint": "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I",
		"note": "stored under md5 " + md5Of(in.Token), "schema": "checked against md5 " + md5Of("introspection schema"),
	})
}

// session returns the session of a request's cookie; without one, the answer that says so.
func (a *API) session(r *request) (*session, *answer) {
	if c, err := r.Cookie("port_sid"); err == nil && a.state.sessions[c.Value] != nil {
		return a.state.sessions[c.Value], nil
	}
	bad := a.problem(r, http.StatusUnauthorized, "session", "Nobody is logged in.").
		With("Www-Authenticate", `Bearer realm="port", nonce="`+a.hex(12)+`"`)
	return nil, &bad
}

// getSession shows the session. Its layout is drawn for each session, its bucket follows from the client's name.
func (a *API) getSession(r *request) answer {
	s, bad := a.session(r)
	if bad != nil {
		return *bad
	}
	bucket := "control"
	if sha(r.UserAgent())[0]%2 == 0 {
		bucket = "treatment"
	}
	return service.Reply(http.StatusOK, object{
		"sid": s.id, "user": office, "since": s.since.Format(time.RFC1123), "age_ms": r.now.Sub(s.since).Milliseconds(),
		"expires": s.since.Add(8 * time.Hour).UnixMilli(), "csrf": hex.EncodeToString(a.mac(s.id))[:32],
		"permissions": shuffled(a, []string{"berths:read", "bookings:read", "bookings:write", "crew:read", "jobs:run"}),
		"languages":   []string{"fr", "en", "ar"}, "layout": s.layout, "bucket": bucket, "idle_timeout": "PT8H",
		"member_since": "2019-11", "birthday": "22 November", "tenant_id": "5f0c7a9e1b2d4c3f8a6e0d1c", "badge": 1795305600,
	})
}

func (a *API) endSession(r *request) answer {
	s, bad := a.session(r)
	if bad != nil {
		return *bad
	}
	delete(a.state.sessions, s.id)
	return service.Empty(http.StatusNoContent).With("Set-Cookie",
		"port_sid=; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=0")
}
