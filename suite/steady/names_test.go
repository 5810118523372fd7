package steady_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

const jsonHead = "HTTP/1.1 200 OK\nContent-Type: application/json\n"

// counting is an API that counts its orders from anywhere, with a quantity that is a small number too.
func counting() world {
	return world{
		requests: []string{
			"POST /orders HTTP/1.1\nHost: a\nContent-Type: application/json\n\n{\"quantity\":3}",
			"GET /orders/3 HTTP/1.1\nHost: a",
			"PUT /orders/3/note?quantity=3 HTTP/1.1\nHost: a\nContent-Type: application/json\n\n{\"orderId\":3,\"quantity\":3}",
		},
		answer: func(run, n int, at time.Time) string {
			id := 3 + 9*run
			switch n {
			case 0:
				return strings.Replace(jsonHead, "200 OK", "201 Created", 1) + fmt.Sprintf("Location: /orders/%d\n\n", id) + fmt.Sprintf(`{"id":%d,"quantity":3}`, id)
			case 1:
				return jsonHead + "\n" + fmt.Sprintf(`{"id":%d,"quantity":3,"self":"/orders/%d"}`, id, id)
			default:
				return jsonHead + "\n" + fmt.Sprintf(`{"id":%d,"quantity":3}`, id)
			}
		},
	}
}

// Small ids are translated where they stand for what the API made, and nowhere else.
func TestSmallIDs(t *testing.T) {
	w := counting()
	s, raw := w.learned(t)
	sent, shown := w.play(s, nil)
	id := fmt.Sprint(3 + 9*live)
	if !strings.HasPrefix(sent[1], "GET /orders/"+id+" ") {
		t.Errorf("sent %q", sent[1])
	}
	if !strings.HasPrefix(sent[2], "PUT /orders/"+id+"/note?quantity=3 ") || !strings.Contains(sent[2], `"quantity":3}`) {
		t.Errorf("sent %q", sent[2])
	}
	for n := range shown {
		if want := onWire(w.answer(0, n, began(0))); shown[n] != want {
			t.Errorf("shown %q\nwant  %q", shown[n], want)
		}
	}
	if len(*raw) > 0 {
		t.Errorf("raw %q", *raw)
	}
	// What was not recorded is asked for by the path that the binding was used in.
	if sent, _ := say(s, "GET /orders/3/history HTTP/1.1\nHost: a", jsonHead+"\n{}"); !strings.HasPrefix(sent, "GET /orders/"+id+"/history ") {
		t.Errorf("sent %q", sent)
	}
	if sent, _ := say(s, "GET /tables/3 HTTP/1.1\nHost: a", jsonHead+"\n{}"); !strings.HasPrefix(sent, "GET /tables/3 ") {
		t.Errorf("sent %q", sent)
	}
}

// A quantity that changes to what an id happens to be is a regression all the same.
func TestQuantityIsNoID(t *testing.T) {
	w := counting()
	s, raw := w.learned(t)
	changed := fmt.Sprintf(`"quantity":%d`, 3+9*live)
	_, shown := w.play(s, func(_ int, answer string) string { return strings.ReplaceAll(answer, `"quantity":3`, changed) })
	if !strings.Contains(shown[1], changed) || len(*raw) != 3 {
		t.Errorf("shown %q, raw %q", shown[1], *raw)
	}
}

// A cookie comes back as the API gave it, and keeps the life that the API gave it.
func TestCookies(t *testing.T) {
	sid := func(run int) string { return fmt.Sprintf("s%dx", run) }
	w := world{
		requests: []string{"POST /login HTTP/1.1\nHost: a", "GET /me HTTP/1.1\nHost: a\nCookie: a=1; sid=" + "s0x" + "; z=2"},
		answer: func(run, n int, at time.Time) string {
			if n == 1 {
				return jsonHead + "\n{\"name\":\"x\"}"
			}
			return jsonHead + "Set-Cookie: sid=" + sid(run) + "; Path=/; Expires=" + at.Add(time.Hour).Format(time.RFC1123) + "\n\n{\"ok\":true}"
		},
	}
	s, _ := w.learned(t)
	sent, shown := w.play(s, nil)
	if !strings.Contains(shown[0], "sid="+"s0x"+"; Path=/; Expires="+began(live).Add(time.Hour).Format(time.RFC1123)) {
		t.Errorf("shown %q", shown[0])
	}
	if !strings.Contains(sent[1], "Cookie: a=1; sid="+sid(live)+"; z=2\r\n") {
		t.Errorf("sent %q", sent[1])
	}
	// Also where no binding says so: in a request that was not recorded.
	if sent, _ := say(s, "GET /other HTTP/1.1\nHost: a\nCookie: sid="+"s0x", jsonHead+"\n{}"); !strings.Contains(sent, sid(live)) {
		t.Errorf("sent %q", sent)
	}
}

// Values that the client makes up anew stay its own.
func TestClientsOwnValues(t *testing.T) {
	ask := func(name string) string {
		return "POST /users HTTP/1.1\nHost: a\nContent-Type: application/json\n\n{\"name\":\"" + name + "\",\"role\":\"admin\"}"
	}
	w := world{
		requests: []string{ask("user-1a2b3c4d5e"), "GET /users/user-1a2b3c4d5e HTTP/1.1\nHost: a"},
		answer: func(run, n int, at time.Time) string {
			return jsonHead + "\n" + fmt.Sprintf(`{"name":"user-1a2b3c4d5e","role":"admin","token":%q}`, uuid(run, n))
		},
	}
	s, raw := w.learned(t)
	sent, shown := say(s, ask("user-9f8e7d6c5b"), jsonHead+"\n"+fmt.Sprintf(`{"name":"user-9f8e7d6c5b","role":"admin","token":%q}`, uuid(live, 0)))
	if !strings.Contains(sent, "user-9f8e7d6c5b") {
		t.Errorf("sent %q", sent)
	}
	if want := fmt.Sprintf(`{"name":"user-9f8e7d6c5b","role":"admin","token":%q}`, uuid(0, 0)); !strings.HasSuffix(shown, want) {
		t.Errorf("shown %q, want %q", shown, want)
	}
	_, shown = say(s, "GET /users/user-9f8e7d6c5b HTTP/1.1\nHost: a", jsonHead+"\n"+fmt.Sprintf(`{"name":"user-9f8e7d6c5b","role":"guest","token":%q}`, uuid(live, 1)))
	if want := fmt.Sprintf(`{"name":"user-9f8e7d6c5b","role":"guest","token":%q}`, uuid(0, 1)); !strings.HasSuffix(shown, want) {
		t.Errorf("shown %q, want %q", shown, want)
	}
	if got := strings.Join(*raw, "\n"); got != "/body/role: not known to move" {
		t.Errorf("raw %q", got)
	}
	// Another role is another request.
	other := strings.Replace(ask("user-0f0e0d0c0b"), "admin", "guest", 1)
	if _, shown = say(s, other, jsonHead+"\n{\"token\":\""+uuid(live, 7)+"\"}"); !strings.Contains(shown, uuid(live, 7)) {
		t.Errorf("shown %q", shown)
	}
}

// Of equal requests the n-th repeats the n-th recorded one, on whichever connection; one that changes nothing may come more often.
func TestRepeatedRequests(t *testing.T) {
	w := world{
		requests: []string{"POST /n HTTP/1.1\nHost: a", "GET /n HTTP/1.1\nHost: a", "POST /n HTTP/1.1\nHost: a", "GET /n HTTP/1.1\nHost: a"},
		answer: func(run, n int, at time.Time) string {
			return jsonHead + "\n" + fmt.Sprintf(`{"nonce":%q}`, uuid(run, 10+n))
		},
	}
	s, _ := w.learned(t)
	_, shown := w.play(s, nil)
	for n := range shown {
		if !strings.Contains(shown[n], uuid(0, 10+n)) {
			t.Errorf("shown %d %q", n, shown[n])
		}
	}
	if _, again := say(s, w.requests[1], w.answer(live, 1, began(live))); !strings.Contains(again, uuid(0, 13)) {
		t.Errorf("shown %q", again)
	}
	if _, again := say(s, w.requests[0], w.answer(live, 0, began(live))); !strings.Contains(again, uuid(live, 10)) && !strings.Contains(again, uuid(0, 10)) {
		t.Errorf("shown %q", again)
	}
}

// A client that offers HTTP/2 with its first request is kept to HTTP/1.
func TestNoUpgradeToHTTP2(t *testing.T) {
	w := counting()
	s, _ := w.learned(t)
	sent, _ := say(s, "GET /orders/3 HTTP/1.1\nConnection: Upgrade, HTTP2-Settings\nHost: a\nUpgrade: h2c\nHTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA", w.answer(live, 1, began(live)))
	if want := "GET /orders/3 HTTP/1.1\r\nHost: a\r\n\r\n"; sent != want {
		t.Errorf("sent %q", sent)
	}
}
