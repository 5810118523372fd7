package ui

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// keyHeader is the header by which a page shows that it is one of this origin: a cookie is sent to other ports of the
// machine too, what a page keeps is not.
const keyHeader = "X-Flaketap-Key"

// maxToken bounds what is read of a token.
const maxToken = 1 << 10

// maxForm bounds what is read of a form, in bytes.
const maxForm = 1 << 20

// guard decides who may see the page.
type guard struct {
	hosts  []string // as a browser may call this server
	token  string   // lets a browser in
	cookie string   // what it has from then on
	key    string   // and its page
	name   string   // of the cookie
}

func newGuard(address net.Addr) (*guard, error) {
	at, err := netip.ParseAddrPort(address.String())
	if err != nil || !at.Addr().IsLoopback() {
		return nil, fmt.Errorf("%s is not an address of this machine alone, such as 127.0.0.1:0", address)
	}
	port := fmt.Sprint(at.Port())
	hosts := []string{at.String(), "localhost:" + port}
	if at.Port() == 80 { // which browsers leave out
		hosts = append(hosts, strings.TrimSuffix(hosts[0], ":80"), "localhost")
	}
	return &guard{hosts: hosts, token: rand.Text(), cookie: rand.Text(),
		key: rand.Text(), name: "flaketap-" + port}, nil
}

func (g *guard) address() string { return "http://" + g.hosts[0] + "/#token=" + g.token }

// check refuses what no page of this server sends, and has every answer say what a browser may do with it.
func (g *guard) check(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Cache-Control", "no-store")
		h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "+
			"img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		if why := g.wrong(r); why != "" {
			http.Error(w, why, http.StatusForbidden)
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		next.ServeHTTP(w, r)
	})
}

// wrong says why a request is none of this server's pages; "" where it may be one.
func (g *guard) wrong(r *http.Request) string {
	origin, site := r.Header.Get("Origin"), r.Header.Get("Sec-Fetch-Site")
	reads := r.Method == http.MethodGet || r.Method == http.MethodHead
	switch {
	case !slices.Contains(g.hosts, r.Host):
		return "the page is asked for by another name: open the address that flaketap ui printed"
	case origin != "" && origin != "http://"+r.Host, origin == "" && !reads:
		return "this server answers its own pages alone"
	case site != "" && site != "same-origin" && !(reads && r.URL.Path == "/"): // the bare page may be linked to
		return "this server answers its own pages alone"
	}
	return ""
}

// session lets a browser in that knows the token.
func (g *guard) session(w http.ResponseWriter, r *http.Request) {
	given, err := io.ReadAll(io.LimitReader(r.Body, maxToken))
	if err != nil || !same(string(given), g.token) {
		http.Error(w, "the token is not the one of this server", http.StatusForbidden)
		return
	}
	http.SetCookie(w, &http.Cookie{Name: g.name, Value: g.cookie, Path: "/", HttpOnly: true,
		SameSite: http.SameSiteStrictMode})
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Write([]byte(g.key))
}

// known lets those pass who were let in. A form that a browser sends by itself has the key among its fields.
func (g *guard) known(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		cookie, err := r.Cookie(g.name)
		key := r.Header.Get(keyHeader)
		if key == "" && r.Method == http.MethodPost &&
			strings.HasPrefix(r.Header.Get("Content-Type"), "application/x-www-form-urlencoded") {
			key = r.PostFormValue("key")
		}
		if err != nil || !same(cookie.Value, g.cookie) || !same(key, g.key) {
			http.Error(w, "open the address that flaketap ui printed", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// same compares without telling by its time how much of a text is right.
func same(given, want string) bool {
	a, b := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(want))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}
