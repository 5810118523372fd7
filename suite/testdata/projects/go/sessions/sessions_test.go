package sessions

import (
	"encoding/json"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
)

var ts *httptest.Server

func TestMain(m *testing.M) {
	ts = httptest.NewServer(Handler())
	code := m.Run()
	ts.Close()
	os.Exit(code)
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func login(t *testing.T, user, password string) *http.Response {
	t.Helper()
	body := strings.NewReader(`{"user":"` + user + `","password":"` + password + `"}`)
	resp, err := http.Post(ts.URL+"/login", "application/json", body)
	check(t, err)
	t.Cleanup(func() { resp.Body.Close() })
	return resp
}

func TestLogin(t *testing.T) {
	resp := login(t, "zoe", "secret")
	equal(t, "status", resp.StatusCode, http.StatusOK)
	equal(t, "content type", resp.Header.Get("Content-Type"), "application/json")

	var session struct {
		Token     string   `json:"token"`
		ExpiresIn int      `json:"expiresIn"`
		User      string   `json:"user"`
		Roles     []string `json:"roles"`
	}
	check(t, json.NewDecoder(resp.Body).Decode(&session))
	equal(t, "user", session.User, "zoe")
	equal(t, "expiresIn", session.ExpiresIn, 3600)
	equal(t, "roles", len(session.Roles), 2)
	equal(t, "first role", session.Roles[0], "admin")
	if session.Token == "" {
		t.Error("no token")
	}
	if n := len(session.Token); n != 40 {
		t.Errorf("token has %d characters", n)
	}
}

func TestLoginRefused(t *testing.T) {
	for _, password := range []string{"", "wrong", "SECRET"} {
		resp := login(t, "zoe", password)
		if resp.StatusCode != http.StatusUnauthorized {
			t.Errorf("password %q: status %d", password, resp.StatusCode)
		}
		if got := resp.Header.Get("WWW-Authenticate"); !strings.HasPrefix(got, "Bearer") {
			t.Errorf("WWW-Authenticate = %q", got)
		}
	}
}

func TestMe(t *testing.T) {
	var s struct{ Token string }
	check(t, json.NewDecoder(login(t, "zoe", "secret").Body).Decode(&s))

	req, err := http.NewRequest("GET", ts.URL+"/me", http.NoBody)
	check(t, err)
	req.Header.Set("Authorization", "Bearer "+s.Token)
	resp, err := ts.Client().Do(req)
	check(t, err)
	defer resp.Body.Close()
	equal(t, "status", resp.StatusCode, 200)

	var me map[string]any
	check(t, json.NewDecoder(resp.Body).Decode(&me))
	equal(t, "user", me["user"].(string), "zoe")
	equal[any](t, "age", me["age"], 31.0)
	if me["lastLogin"] == nil {
		t.Error("no lastLogin")
	}
	if roles := me["roles"].([]any); len(roles) != 2 || roles[1] != "editor" {
		t.Errorf("roles = %v", roles)
	}
}

func TestCookies(t *testing.T) {
	jar, err := cookiejar.New(nil)
	check(t, err)
	client := &http.Client{Jar: jar}
	resp, err := client.Post(ts.URL+"/login?cookie=1", "application/json", strings.NewReader(`{"user":"zoe"}`))
	check(t, err)
	resp.Body.Close()
	equal(t, "cookies", len(resp.Cookies()), 1)
	equal(t, "cookie name", resp.Cookies()[0].Name, "sid")

	resp, err = client.Get(ts.URL + "/visits")
	check(t, err)
	defer resp.Body.Close()
	var visits struct{ Count int }
	check(t, json.NewDecoder(resp.Body).Decode(&visits))
	equal(t, "visits", visits.Count, 1)

	resp, err = client.Post(ts.URL+"/logout", "", nil)
	check(t, err)
	equal(t, "logout", resp.StatusCode, http.StatusNoContent)
}
