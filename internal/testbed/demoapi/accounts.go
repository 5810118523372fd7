package demoapi

import (
	"net/http"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/flaketap/flaketap/internal/testbed/service"
	"golang.org/x/crypto/bcrypt"
)

// PersonalToken is the bearer token of the seed account that never expires and that every reset keeps, as the personal
// access tokens of real services do: with it a fuzzer that cannot log in reaches what asks for an account.
const PersonalToken = "demo-pat-ada"

// The seed account: its credentials, and an id that looks made at run time and is not.
const (
	adaID       = "6f1c2a54-9d3e-4b7a-8c15-0e9d7b42fa31"
	adaEmail    = "ada@cafe.de"
	adaPassword = "lovelace"
)

// account is a person who can log in.
type account struct {
	id, email, name, birthDate string
	hash                       []byte // bcrypt
	created                    time.Time
	logins                     int
	lastLogin                  time.Time
	cart                       cart
}

// accounts is the store of accounts and of the sessions of those who logged in.
type accounts struct {
	byID     map[string]*account
	byEmail  map[string]*account
	sessions map[string]*account // by the value of the cookie
}

// newAccounts returns the store with the seed account in it.
func newAccounts() accounts {
	// The hash is a constant: the same account has the same hash in every installation that loads the seed data.
	ada := &account{
		id: adaID, email: adaEmail, name: "Ada", birthDate: "1815-12-10",
		hash:    []byte("$2a$04$e3K9zCT2GvHJG4uZuKgmcOJWNgLtNATcsshd7QXovJYrPD/72z3Pu"),
		created: time.Date(2024, 2, 29, 8, 30, 0, 123456789, time.UTC),
	}
	return accounts{
		byID:     map[string]*account{ada.id: ada},
		byEmail:  map[string]*account{ada.email: ada},
		sessions: map[string]*account{},
	}
}

func (a *API) accountRoutes() []route {
	return []route{
		service.On("POST", "/accounts", a.register),
		service.On("GET", "/accounts/{id}", a.profile),
		service.On("POST", "/login", a.login),
		service.On("POST", "/logout", a.logout),
		service.On("GET", "/me", a.me),
	}
}

// accountView is an account as others see it.
type accountView struct {
	ID          string `json:"id"`
	Email       string `json:"email"`
	DisplayName string `json:"displayName"`
	BirthDate   string `json:"birthDate"`
	CreatedAt   string `json:"createdAt"`
}

func (x *account) view() accountView {
	return accountView{x.id, x.email, x.name, x.birthDate, nanos(x.created)}
}

// registration is what a new account is made of.
type registration struct {
	Email       string `json:"email"`
	Password    string `json:"password"`
	DisplayName string `json:"displayName"`
	BirthDate   string `json:"birthDate"`
}

func (a *API) register(r *request) answer {
	in, bad := decode[registration](r)
	if bad != nil {
		return *bad
	}
	v := violations{lang: r.lang}
	v.check(emailText.MatchString(in.Email), "email", ruleEmail)
	v.check(passwordText.MatchString(in.Password), "password", ruleLength, 8, 72)
	v.check(fits(in.DisplayName, 1, 40), "displayName", ruleLength, 1, 40)
	v.check(validDate(in.BirthDate), "birthDate", ruleDate)
	if len(v.list) > 0 {
		return v.answer()
	}
	if a.state.accounts.byEmail[in.Email] != nil {
		return fail(http.StatusConflict, "email_taken", "There is an account with this e-mail address.")
	}
	if len(a.state.accounts.byID) >= maxEntries {
		return full()
	}
	hash, err := bcrypt.GenerateFromPassword([]byte(in.Password), bcrypt.MinCost)
	if err != nil {
		return fail(http.StatusBadRequest, "bad_password", "The password cannot be used.")
	}
	x := &account{id: a.uuid(), email: in.Email, name: in.DisplayName, birthDate: in.BirthDate, hash: hash,
		created: a.now()}
	a.state.accounts.byID[x.id], a.state.accounts.byEmail[x.email] = x, x
	a.note("account registered")
	return service.Reply(http.StatusCreated, struct {
		accountView
		PasswordHash     string   `json:"passwordHash"` // no service should show it; many do
		Roles            []string `json:"roles"`
		VerificationCode string   `json:"verificationCode"`
	}{x.view(), string(hash), []string{"customer"}, a.digits(6)}).With("Location", "/accounts/"+x.id)
}

func (a *API) profile(r *request) answer {
	x := a.state.accounts.byID[r.param()]
	if x == nil {
		return notFound()
	}
	return service.Reply(http.StatusOK, x.view())
}

// credentials are what one logs in with.
type credentials struct {
	Email    string `json:"email"`
	Password string `json:"password"`
}

func (a *API) login(r *request) answer {
	in, bad := decode[credentials](r)
	if bad != nil {
		return *bad
	}
	x := a.state.accounts.byEmail[in.Email]
	if x == nil || bcrypt.CompareHashAndPassword(x.hash, []byte(in.Password)) != nil {
		return fail(http.StatusUnauthorized, "bad_credentials", "The e-mail address or the password is wrong.").
			With("WWW-Authenticate", `Bearer realm="demo"`)
	}
	if len(a.state.accounts.sessions) >= maxEntries {
		return full()
	}
	now := a.now()
	x.logins, x.lastLogin = x.logins+1, now
	sid := a.hex(16)
	a.state.accounts.sessions[sid] = x
	token := a.sign(claims{x.id, "demo", now.Unix(), now.Add(time.Hour).Unix(), a.uuid()})
	cookie := http.Cookie{Name: "sid", Value: sid, Path: "/", MaxAge: 3600, HttpOnly: true, SameSite: http.SameSiteLaxMode}
	return service.Reply(http.StatusOK, struct {
		Email     string `json:"email"`
		Token     string `json:"token"`
		TokenType string `json:"tokenType"`
		ExpiresIn int    `json:"expiresIn"`
		IssuedAt  int64  `json:"issuedAt"`
		Logins    int    `json:"loginCount"`
	}{x.email, token, "Bearer", 3600, now.Unix(), x.logins}).With("Set-Cookie", cookie.String())
}

// logout ends the session of the cookie, if there is one.
func (a *API) logout(r *request) answer {
	if c, err := r.Cookie("sid"); err == nil {
		delete(a.state.accounts.sessions, c.Value)
	}
	return service.Empty(http.StatusNoContent).With("Set-Cookie", "sid=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax")
}

func (a *API) me(r *request) answer {
	x, bad := a.caller(r)
	if bad != nil {
		return *bad
	}
	type timestamps struct {
		LastLogin *string `json:"lastLoginAt"` // null before the first login
		SinceMS   *int64  `json:"millisSinceLogin"`
	}
	var t timestamps
	if !x.lastLogin.IsZero() {
		at, since := nanos(x.lastLogin), a.now().Sub(x.lastLogin).Milliseconds()
		t = timestamps{&at, &since}
	}
	return service.Reply(http.StatusOK, struct {
		accountView
		timestamps
		Logins   int    `json:"loginCount"`
		Customer string `json:"customerreferencenumber"`
		Avatar   string `json:"avatar"`
	}{
		x.view(), t, x.logins, "C-" + x.birthDate[:4] + "-" + x.id[:4],
		"/media/accounts/portraits/originals/default/placeholder.png",
	})
}

// caller returns the account that a request speaks for: by the personal token, by a token of a login, or by the cookie.
func (a *API) caller(r *request) (*account, *answer) {
	if token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		if token == PersonalToken {
			return a.state.accounts.byID[adaID], nil
		}
		if c, ok := a.verify(token); ok && a.state.accounts.byID[c.Subject] != nil {
			return a.state.accounts.byID[c.Subject], nil
		}
	} else if c, err := r.Cookie("sid"); err == nil && a.state.accounts.sessions[c.Value] != nil {
		return a.state.accounts.sessions[c.Value], nil
	}
	bad := fail(http.StatusUnauthorized, "unauthorized", "Log in first.").With("WWW-Authenticate", `Bearer realm="demo"`)
	return nil, &bad
}

// The texts that the API takes, as the OpenAPI document writes them too.
var (
	emailText    = regexp.MustCompile(`^[a-z0-9.]{1,30}@[a-z0-9]{1,30}\.[a-z]{2,10}$`)
	passwordText = regexp.MustCompile(`^[ -~]{8,72}$`) // bcrypt reads no more than 72 bytes
)

// validDate reports whether s is a date such as 2001-12-31.
func validDate(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}

// fits reports whether s has that many characters.
func fits(s string, low, high int) bool {
	n := utf8.RuneCountInString(s)
	return n >= low && n <= high
}
