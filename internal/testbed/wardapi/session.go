package wardapi

import (
	"net/http"
	"time"

	"github.com/flaketap/flaketap/internal/testbed/service"
)

// session is a nurse at work.
type session struct {
	id, csrf string
	since    time.Time
}

// The one account of the house.
const (
	nurse         = "schwester.agnes"
	nursePassword = "florence1820"
)

const sessionTime = time.Hour

func (a *API) sessionRoutes() []route {
	return []route{
		service.On("POST", "/anmeldung", a.login),
		service.On("GET", "/sitzung", a.getSession),
		service.On("PATCH", "/sitzung", a.prolong),
		service.On("DELETE", "/sitzung", a.logout),
	}
}

// login opens a session. Earlier clients did so too, and a reset forgets how often.
func (a *API) login(r *request) answer {
	in, bad := decode[struct {
		Name     string `json:"kennung"`
		Password string `json:"passwort"`
	}](a, r)
	if bad != nil {
		return *bad
	}
	if in.Name != nurse || in.Password != nursePassword {
		return a.problem(r, http.StatusUnauthorized, "anmeldung", "Kennung oder Passwort sind falsch.").
			With("Www-Authenticate", `Digest realm="klinik", qop="auth", nonce="`+a.hex(16)+`"`)
	}
	if len(a.state.sessions) >= maxEntries {
		return a.full(r)
	}
	s := &session{id: a.nanoID(), csrf: a.nanoID(), since: r.now}
	a.state.sessions[s.id] = s
	a.state.logins++
	born := time.Date(1979, 11, 4, 0, 0, 0, 0, time.UTC)
	return service.Reply(http.StatusOK, object{
		"ticket": a.token(object{"sub": nurse, "iat": r.now.Unix(), "exp": r.now.Add(sessionTime).Unix(),
			"jti": a.uuid4()}),
		"token_type": "Bearer", "expires_in": int(sessionTime.Seconds()),
		"gueltig_bis": r.now.Add(sessionTime).Format("02.01.2006 15:04:05"),
		"csrf":        s.csrf, "refresh": "rt_" + a.draw(40, crockford), "anmeldungen": a.state.logins,
		"benutzer": object{
			"kennung": nurse, "rolle": "PFLEGE", "geburtsdatum": born.Format(germanDate), "alter": age(born, r.now),
			"personal_nr": "0x00A1F3", "oid": "1.2.276.0.76.4.1", "seit": "2009-W40",
		},
	}).With("Set-Cookie", "sitzung="+s.id+"; Path=/; Max-Age=3600; HttpOnly; SameSite=Strict")
}

// session returns the session of a request's cookie, nil where there is none.
func (a *API) session(r *request) *session {
	c, err := r.Cookie("sitzung")
	if err != nil {
		return nil
	}
	return a.state.sessions[c.Value]
}

func (a *API) noSession(r *request) answer {
	return a.problem(r, http.StatusUnauthorized, "anmeldung", "Niemand ist angemeldet.").
		With("Www-Authenticate", `Digest realm="klinik", qop="auth", nonce="`+a.hex(16)+`"`)
}

func (a *API) getSession(r *request) answer {
	s := a.session(r)
	if s == nil {
		return a.noSession(r)
	}
	return service.Reply(http.StatusOK, object{
		"kennung": nurse, "rolle": "PFLEGE", "rechte": shuffled(a, []string{"bett:lesen", "bett:belegen", "labor:lesen",
			"rezept:lesen", "akte:lesen"}),
		"rest_ms": s.since.Add(sessionTime).Sub(r.now).Milliseconds(), "sitzung_seit": epochText(s.since), "csrf": s.csrf,
		"mandant": "klinik-nord", "sprachen": []string{"de", "fr", "en"},
	})
}

// prolong sets a cookie whose value is a constant and whose end is not.
func (a *API) prolong(r *request) answer {
	s := a.session(r)
	if s == nil {
		return a.noSession(r)
	}
	return service.Reply(http.StatusOK, object{"verlaengert": true, "dauer": "PT1H"}).
		With("Set-Cookie", "bleiben=ja; Path=/; Expires="+r.now.Add(2*sessionTime).Format(http.TimeFormat))
}

func (a *API) logout(r *request) answer {
	s := a.session(r)
	if s == nil {
		return a.noSession(r)
	}
	delete(a.state.sessions, s.id)
	return service.Empty(http.StatusNoContent).With("Set-Cookie",
		"sitzung=; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=0")
}
