package apitest

import (
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
)

// TestClient sends what generated tests send to an API that answers with all that they assert.
func TestClient(t *testing.T) {
	var seen []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		seen = append(seen, r.Method+" "+r.RequestURI+" "+string(body))
		w.Header().Set("Content-Type", "application/json")
		switch r.URL.Path {
		case "/login":
			http.SetCookie(w, &http.Cookie{Name: "sid", Value: "s1"})
			fmt.Fprint(w, `{"token":"t1"}`)
		case "/orders":
			w.Header().Add("X-Twice", "a")
			w.Header().Add("X-Twice", "b")
			w.Header().Set("Content-Encoding", "gzip")
			w.WriteHeader(201)
			zw := gzip.NewWriter(w)
			fmt.Fprintf(zw, `{"id":99,"auth":%q,"tags":["b","a","a"],"self":"http://%s/orders/99"}`, r.Header.Get("Authorization"), r.Host)
			zw.Close()
		case "/text":
			fmt.Fprint(w, "plain")
		default:
			w.WriteHeader(204)
		}
	}))
	defer server.Close()
	file := filepath.Join(t.TempDir(), "secrets.json")
	if err := os.WriteFile(file, []byte(`{"ANN_PASSWORD":"sesame"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("FLAKETAP_URL", server.URL)
	t.Setenv("FLAKETAP_SECRETS", file)
	login := once{"login", func(c *client) {
		res := c.send(request{method: "POST", target: "/login", body: c.secret("ANN_PASSWORD")})
		c.take("token", res, "/body/token")
		res.status(200)
		res.cookie("sid")
	}}
	for range 2 {
		t.Run("order", func(t *testing.T) { order(t, login) })
	}
	want := []string{"POST /login sesame", "POST /orders?by=t1 {}", "GET /text ", "DELETE /orders/99 ", "POST /orders?by=t1 {}", "GET /text ", "DELETE /orders/99 "}
	if fmt.Sprint(seen) != fmt.Sprint(want) {
		t.Errorf("seen %q, want %q", seen, want)
	}
	if target == os.Getenv("FLAKETAP_URL") {
		t.Error("the recorded target is that of the environment")
	}
}

// order is a test as they are generated.
func order(t *testing.T, login once) {
	c := begin(t, login)
	c.after(func() request { return request{method: "DELETE", target: "/orders/" + inPath(c.bound("orderId"))} }, "orderId")
	c.after(func() request { return request{method: "DELETE", target: "/never"} }, "none")
	res := c.send(request{
		method: "POST", target: "/orders?by=" + inQuery(c.bound("token")), chunked: true, body: "{}",
		headers: []header{{"Authorization", "Bearer " + c.bound("token")}},
	})
	c.take("orderId", res, "/body/id")
	res.status(200, 201)
	res.header("x-twice", "a", "b")
	res.json(`{"id":"<volatile>","auth":"Bearer t1","self":"<volatile>"}`, masks{"/id", "/self"}, absent{"/tags"})
	res.items("/body/tags", `["a","b"]`, nil, nil, asSet)
	res.items("/body/tags", `["a","b","a"]`, nil, nil, whole)
	res.items("/body/tags", `["b","a"]`, nil, nil, among)
	res.some("/body/tags/*", "b")
	res.outline(0, "id", "tags")
	res.equal("/body/id", c.bound("orderId"))
	res.ends("/body/self", "/orders/"+c.bound("orderId"))
	res.holds("/body/self", says{Type: "string", Host: true})
	res = c.send(request{method: "GET", target: "/text", base: os.Getenv("FLAKETAP_URL")})
	res.text("plain")
	res.size(5)
	res.digest(5, fmt.Sprintf("%x", sha256.Sum256([]byte("plain"))))
	(&answer{t: t}).empty()
}

// TestSent: the usual headers go with a request, but for those that it has otherwise, or goes without.
func TestSent(t *testing.T) {
	for _, tt := range []struct {
		r    request
		want string
	}{
		{request{}, "[{X-Usual u} {X-Other o}]"},
		{request{headers: []header{{"x-usual", "v"}, {"X-Own", "w"}}}, "[{X-Other o} {x-usual v} {X-Own w}]"},
		{request{without: []string{"X-Usual"}}, "[{X-Other o}]"},
	} {
		if got := fmt.Sprint((&client{t: t}).sent(tt.r)); got != tt.want {
			t.Errorf("%+v: %s, want %s", tt.r, got, tt.want)
		}
	}
}

// TestOnceFails: a set-up that all tests share is sent once, also where what is asserted of it fails; what it gave stays.
func TestOnceFails(t *testing.T) {
	sent := 0
	signUp := once{"a set-up of this test alone", func(c *client) {
		sent++
		c.values["made"], c.given["made"] = "m1", true
		panic("an assertion fails")
	}}
	func() {
		defer func() { _ = recover() }()
		begin(t, signUp)
	}()
	if c := begin(t, signUp); sent != 1 || c.bound("made") != "m1" {
		t.Errorf("sent %d times, gave %q", sent, c.bound("made"))
	}
}

// TestSaid: an answer is waited for until it has the status and, at each place, the value.
func TestSaid(t *testing.T) {
	a := answerOf(t, `{"state":"done","n":1}`)
	a.code = 200
	for _, tt := range []struct {
		until until
		want  bool
	}{
		{until{code: 200}, true},
		{until{code: 202}, false},
		{until{code: 200, values: map[string]string{"/body/state": `"done"`, "/body/n": "1.0"}}, true},
		{until{code: 200, values: map[string]string{"/body/state": `"new"`}}, false},
		{until{code: 200, values: map[string]string{"/body/none": "true"}}, false},
		{until{code: 200, values: map[string]string{"/body/state": `"new"`}, never: [][2]string{{"/body/state", `"done"`}}}, true},
		{until{code: 200, values: map[string]string{"/body/state": `"new"`}, never: [][2]string{{"/body/state", `"gone"`}}}, false},
		{until{code: 202, never: [][2]string{{"/body/state", `"done"`}}}, false},
	} {
		if got := tt.until.said(a); got != tt.want {
			t.Errorf("%v: %t", tt.until, got)
		}
	}
}
