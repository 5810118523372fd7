package redact

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/wire"
	"pgregory.net/rapid"
)

var key = []byte("the key of a recording")

func token(value string) string { return exchange.Redactor{Key: key}.Token(value) }

func packed(s string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(s))
	_ = w.Close()
	return b.String()
}

// message makes a message with the length of its body, or in chunks where the fields say so.

func message(line, fields, body string) exchange.Message {
	if strings.Contains(fields, "chunked") {
		half := len(body) / 2
		body = fmt.Sprintf("%x\r\n%s\r\n%x;ext=1\r\n%s\r\n0\r\n\r\n", half, body[:half], len(body)-half, body[half:])
	} else {
		fields += fmt.Sprintf("Content-Length: %d\r\n", len(body))
	}
	return exchange.Message{Head: []byte(line + "\r\n" + fields + "\r\n"), Body: []byte(body)}
}

func exchanged(q, a exchange.Message) *exchange.Exchange {
	return &exchange.Exchange{Target: "default", Scheme: "http", Addr: "api:80", Request: exchange.ParseRequest(q), Response: exchange.ParseResponse(a)}
}

// all returns every byte of an exchange that is stored, as it is and as it is read.
func all(e *exchange.Exchange) string {
	var b strings.Builder
	add := func(m *exchange.Message) {
		for _, part := range [][]byte{m.Head, m.Body, m.Trailer, m.Tunnel} {
			b.Write(part)
		}
		if data, _, _ := wire.Dechunk(m.Body); len(data) > 0 {
			b.Write(data)
			if plain, err := wire.Decode("gzip", data, 1<<20); err == nil {
				b.Write(plain)
			}
		}
		if plain, err := wire.Decode("gzip", m.Body, 1<<20); err == nil {
			b.Write(plain)
		}
		for _, p := range wire.WebSocket(m.Tunnel) {
			b.Write(p.Data)
		}
	}
	add(&e.Request.Message)
	if e.Response != nil {
		add(&e.Response.Message)
		b.Write(e.Response.Interim)
	}
	if e.Fault != nil {
		b.WriteString(e.Fault.Text)
		add(&e.Fault.Seen)
		add(&e.Fault.Told)
	}
	b.WriteString(e.Sequence)
	return b.String()
}

func TestRestHead(t *testing.T) {
	const s = "s3cr3t-value-1"
	for _, c := range []struct{ head, want string }{
		{"GET /a HTTP/1.1\r\nAuthorization: Bearer " + s + "\r\n\r\n", "GET /a HTTP/1.1\r\nAuthorization: Bearer " + token(s) + "\r\n\r\n"},
		{"GET /a HTTP/1.1\r\nproxy-authorization:  " + s + " \r\nX: y\r\n\r\n", "GET /a HTTP/1.1\r\nproxy-authorization:  " + token(s) + " \r\nX: y\r\n\r\n"},
		{"GET /a HTTP/1.1\nCookie: a=" + s + "; b=\"x\";c\n\n", "GET /a HTTP/1.1\nCookie: a=" + token(s) + "; b=\"" + token("x") + "\";" + token("c") + "\n\n"},
		{"GET /a?api_key=" + s + "&b=1 HTTP/1.1\r\n\r\n", "GET /a?api_key=" + strings.Replace(token(s), ":", "%3A", 1) + "&b=1 HTTP/1.1\r\n\r\n"},
		{"GET /a HTTP/1.1\r\nX-Api-Key: a\r\n b\r\nX: y\r\n\r\n", "GET /a HTTP/1.1\r\nX-Api-Key: " + token("a b") + "\r\nX: y\r\n\r\n"},
		{"GET /a HTTP/1.1\r\nX-Api-Key:\r\nX:   y \t\r\n folded\r\n\r\n", "GET /a HTTP/1.1\r\nX-Api-Key:\r\nX:   y \t\r\n folded\r\n\r\n"},
		{"HTTP/1.1 200 OK\r\nSet-Cookie: sid=" + s + "; Path=/; HttpOnly\r\nLocation: /x?token=" + s + "\r\n\r\n",
			"HTTP/1.1 200 OK\r\nSet-Cookie: sid=" + token(s) + "; Path=/; HttpOnly\r\nLocation: /x?token=" + token(s) + "\r\n\r\n"},
		{"nonsense\r\nAuthorization : Basic abc\r\nno field\r\n\r\n", "nonsense\r\nAuthorization : Basic " + token("abc") + "\r\nno field\r\n\r\n"},
		{"HTTP/1.1 100 Continue\r\nX-Token: " + s + "\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </" + s + ">\r\n\r\n",
			"HTTP/1.1 100 Continue\r\nX-Token: " + token(s) + "\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </" + token(s) + ">\r\n\r\n"},
		{"GET / HTTP/2.0\r\nhost: a\r\n:path: /?token=" + s + "\r\nauthorization: " + token(s) + "\r\n\r\n",
			"GET / HTTP/2.0\r\nhost: a\r\n:path: /?token=" + strings.Replace(token(s), ":", "%3A", 1) + "\r\nauthorization: " + token(s) + "\r\n\r\n"},
	} {
		rest := NewRest(key, nil)
		r := rest.learn(func(all *exchange.Secrets) { all.Note(s) })
		if got := string(r.head([]byte(c.head))); got != c.want {
			t.Errorf("%q\nbecame %q\nnot    %q", c.head, got, c.want)
		}
	}
}

// A token that a login gives is the same in the answer, in the header that uses it, and in a cookie.
func TestRestKeepsEquality(t *testing.T) {
	const s = "tok-9f8e7d6c5b"
	rest := NewRest(key, []string{"/path/1", "orderref"})
	login := rest.Exchange(exchanged(
		message("POST /login HTTP/1.1", "Content-Type: application/json\r\n", `{"user":"ada","password":"love"}`),
		message("HTTP/1.1 200 OK", "Content-Type: application/json\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n",
			packed(`{"token":"`+s+`","orderRef":77,"user":"ada"}`))))
	if got, want := string(login.Request.Body), `{"user":"ada","password":"`+token("love")+`"}`; got != want {
		t.Errorf("the request is %s, not %s", got, want)
	}
	if n, _, _ := wire.ContentLength(login.Request.Header); n != int64(len(login.Request.Body)) {
		t.Errorf("the request's length is %d for %d bytes", n, len(login.Request.Body))
	}
	body, err := login.Response.Payload()
	if want := `{"token":"` + token(s) + `","orderRef":"` + token("77") + `","user":"ada"}`; string(body) != want || err != nil || !login.Response.Plain {
		t.Errorf("the answer is %s (%v), not %s", body, err, want)
	}
	if login.Response.Header.Get("Content-Encoding") != "gzip" {
		t.Error("the answer does not say how it was packed")
	}
	use := rest.Exchange(exchanged(
		message("GET /users/me/x?q="+s+" HTTP/1.1", "Authorization: Bearer "+s+"\r\nCookie: sid="+s+"\r\nX-Echo: "+s+"\r\n", ""),
		message("HTTP/1.1 200 OK", "Content-Type: text/plain\r\n", "you are "+s)))
	want := "GET /users/" + token("me") + "/x?q=" + strings.Replace(token(s), ":", "%3A", 1) + " HTTP/1.1\r\nAuthorization: Bearer " + token(s) + "\r\nCookie: sid=" + token(s) + "\r\nX-Echo: " + token(s) + "\r\n"
	if got := string(use.Request.Head); !strings.HasPrefix(got, want) {
		t.Errorf("the use is\n%s, not\n%s", got, want)
	}
	if got := string(use.Response.Body); got != "you are "+token(s) {
		t.Errorf("the echo is %q", got)
	}
}

func TestRestStreams(t *testing.T) {
	const s = "tok-9f8e7d6c5b"
	rest := NewRest(key, nil)
	rest.Learn(func(all *exchange.Secrets) { all.Note(s) })

	lines := []string{`{"a":1}` + "\n", `{"token":"` + s + `"}` + "\n", `{"b":2}` + "\n"}
	e := exchanged(message("GET / HTTP/1.1", "", ""), exchange.Message{Head: []byte("HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n")})
	for i, line := range lines {
		e.Response.Body = fmt.Appendf(e.Response.Body, "%x\r\n%s\r\n", len(line), line)
		e.Response.Marks = append(e.Response.Marks, exchange.Mark{End: int64(len(e.Response.Body)), At: time.Duration(i + 1)})
	}
	e.Response.Body = append(e.Response.Body, "0\r\n\r\n"...)
	frames := rest.Exchange(e).Frames()
	if len(frames) != 3 || string(frames[1].Data) != `{"token":"`+token(s)+`"}` || frames[1].At != 2 || frames[2].At != 3 {
		t.Errorf("the stream is %+v", frames)
	}

	e = exchanged(message("GET / HTTP/1.1", "Upgrade: websocket\r\n", ""), message("HTTP/1.1 101 Switching Protocols", "", ""))
	e.Request.Tunnel = appendFrame(nil, 0x81, true, []byte(`{"token":"`+s+`"}`))
	e.Request.Tunnel[2], e.Request.Tunnel[6] = 7, e.Request.Tunnel[6]^7 // a mask of which the first byte counts
	for i := 10; i < len(e.Request.Tunnel); i += 4 {
		e.Request.Tunnel[i] ^= 7
	}
	e.Request.Marks = []exchange.Mark{{End: int64(len(e.Request.Tunnel)), At: 5}}
	e.Response.Tunnel = appendFrame(appendFrame(nil, 0x01, false, []byte("it is "+s[:7])), 0x80, false, []byte(s[7:]+"."))
	e.Response.Marks = []exchange.Mark{{End: int64(len(e.Response.Tunnel)), At: 6}}
	got := rest.Exchange(e)
	frames = got.Frames()
	if len(frames) != 3 || string(frames[0].Data) != `{"token":"`+token(s)+`"}` || frames[0].At != 5 || frames[2].At != 6 {
		t.Errorf("the frames are %+v", frames)
	}
	if said := string(frames[1].Data) + string(frames[2].Data); strings.Contains(said, s) || len(said) != len("it is .")+len(s) {
		t.Errorf("the message of two frames is %q", said)
	}
}

// What breaks off, or is no text, keeps its shape and loses its secrets.
func TestRestBroken(t *testing.T) {
	const s = "tok-9f8e7d6c5b4a39281706"
	rest := NewRest(key, nil)
	rest.Learn(func(all *exchange.Secrets) { all.Note(s) })
	gz := packed(strings.Repeat("much of it, ", 40) + `{"token":"` + s + `"}` + strings.Repeat("and more, 123 ", 40))
	for name, a := range map[string]exchange.Message{
		"cut":            {Head: []byte("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n"), Body: []byte("it is " + s[:12]), Cut: 12},
		"binary":         {Head: []byte("HTTP/1.1 200 OK\r\n\r\n"), Body: []byte("\x00\x01\xff" + s + "\xfe")},
		"grpc":           {Head: []byte("HTTP/2.0 200 \r\ncontent-type: application/grpc\r\n\r\n"), Body: []byte("\x00\x00\x00\x00\x18" + s), Trailer: []byte("grpc-message: " + s + "\r\n\r\n")},
		"cut gzip":       {Head: []byte("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n"), Body: []byte(gz[:len(gz)-12]), Cut: 12},
		"no gzip":        {Head: []byte("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n"), Body: []byte("it is " + s)},
		"cut chunks":     {Head: []byte("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"), Body: []byte("ff\r\nit is " + s)},
		"chunk trailers": {Head: []byte("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"), Body: []byte("2\r\nit\r\n0\r\nX-Sum: " + s + "\r\n\r\n")},
		"extension":      {Head: []byte("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"), Body: []byte("2;x=" + s + "\r\nit\r\n0\r\n\r\n")},
		"raw":            {Head: []byte("what " + s)},
	} {
		got := rest.Exchange(exchanged(message("GET / HTTP/1.1", "", ""), a))
		if text := all(got); strings.Contains(text, s[:12]) {
			t.Errorf("%s: the secret is in %q", name, text)
		}
		if m := got.Response.Message; name == "binary" && len(m.Body) != len(a.Body) || name == "grpc" && len(wire.GRPC(m.Body)) != 1 {
			t.Errorf("%s: it became %q", name, m.Body)
		}
		f := &exchange.Exchange{Request: exchange.ParseRequest(a), Fault: &exchange.Fault{Kind: exchange.FaultReset, Text: "read " + s, Seen: a, Told: a}}
		if text := all(rest.Exchange(f)); strings.Contains(text, s[:12]) {
			t.Errorf("%s: as a fault the secret is in %q", name, text)
		}
	}
	h2 := rest.Exchange(exchanged(message("POST / HTTP/2.0", "content-encoding: gzip\r\n", packed("it is "+s)), message("HTTP/2.0 200 ", "content-encoding: gzip\r\n", packed("it is "+s))))
	if body, err := h2.Request.Payload(); string(body) != "it is "+token(s) || err != nil || h2.Request.Header.Get("Content-Encoding") != "identity" || h2.Request.Plain || h2.Unsendable() != "" {
		t.Errorf("the request of HTTP/2 is %q, %v, %q", body, err, h2.Request.Head)
	}
	if body, err := h2.Response.Payload(); string(body) != "it is "+token(s) || err != nil || h2.Response.Header.Get("Content-Encoding") != "gzip" {
		t.Errorf("the answer of HTTP/2 is %q, %v, %q", body, err, h2.Response.Head)
	}
	if got := rest.Exchange(exchanged(message("GET / HTTP/1.1", "", ""), message("HTTP/1.1 200 OK", "Content-Encoding: gzip\r\n", packed("nothing")))); got.Response.Plain ||
		!strings.Contains(all(got), "nothing") {
		t.Error("a packed body without secrets does not stay as it was")
	}
}

// Of whatever an exchange names as a secret nothing is left, in it and in those after it, and messages stay framed.
func TestRestKeepsNoSecret(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rest := NewRest(key, []string{"pin"})
		var secrets []string
		for range rapid.IntRange(1, 4).Draw(t, "exchanges") {
			secret := rapid.StringMatching(`[a-zA-Z0-9+/_.~!*-]{5,40}[0-9][a-z]`).Draw(t, "secret")
			secrets = append(secrets, secret)
			q, a := drawMessage(t, "request", "POST /x HTTP/1.1", secret, secrets), drawMessage(t, "answer", "HTTP/1.1 200 OK", secret, secrets)
			e := exchanged(q, a)
			got := rest.Exchange(e)
			text := all(got)
			for _, s := range secrets {
				if strings.Contains(text, s) {
					t.Fatalf("%q is left in\n%q\nof\n%q", s, text, all(e))
				}
			}
			for _, m := range []*exchange.Message{&got.Request.Message, &got.Response.Message} {
				checkFraming(t, m)
			}
		}
	})
}

// What a read answered in the end is redacted as its first answer is.
func TestRestEnd(t *testing.T) {
	pending, done := message("HTTP/1.1 200 OK", "", `{"state":"pending"}`), message("HTTP/1.1 200 OK", "", `{"token":"s3cr3t-of-mine"}`)
	first, last := exchange.ParseResponse(pending), exchange.ParseResponse(done)
	o := &exchange.Observation{Sent: exchange.ParseRequest(message("GET /jobs/7 HTTP/1.1", "", "")), Response: first,
		Settling: &exchange.Settling{Settled: true, Looks: 2, End: last}}
	rest := NewRest(key, nil)
	got := rest.Observation(o)
	if body := string(got.Settling.End.Body); strings.Contains(body, "s3cr3t") || !strings.Contains(body, "token") || got.Settling.Looks != 2 {
		t.Errorf("what is kept of the end: %+v, %s", got.Settling, body)
	}
	if !strings.Contains(string(last.Body), "s3cr3t") {
		t.Error("the observation itself was changed")
	}
	if again := rest.Exchange(exchanged(message("GET /s3cr3t-of-mine HTTP/1.1", "", ""), pending)); strings.Contains(all(again), "s3cr3t") {
		t.Error("a secret of an end is not known afterwards")
	}
}

// drawMessage makes a message that names a secret at one place, and has others, and the same, wherever.
func drawMessage(t *rapid.T, label, line, secret string, known []string) exchange.Message {
	other := rapid.SampledFrom(known).Draw(t, label+" other")
	form := strings.NewReplacer("%", "%25", "+", "%2B", "&", "%26", "/", "%2F").Replace
	fields := rapid.SampledFrom([]string{
		"X-Echo: " + other + "\r\n", "X-Note: ok\r\n", "X-Note: it has\r\n " + other + "\r\n", other + ": here\r\n",
	}).Draw(t, label+" field")
	fields += rapid.SampledFrom([]string{
		"Authorization: Bearer " + secret + "\r\n", "Proxy-Authorization: " + secret + "\r\n", "X-Api-Key: " + secret + "\r\n",
		"Set-Cookie: sid=" + form(secret) + "; Path=/\r\n", "Cookie: a=1; sid=" + secret + "\r\n",
	}).Draw(t, label+" named")
	kind := rapid.SampledFrom([]string{"application/json", "application/x-www-form-urlencoded", "application/xml", "text/plain", "application/octet-stream", ""}).Draw(t, label+" kind")
	body := rapid.SampledFrom([]string{
		`{"password":"` + secret + `","note":"` + other + `"}`, `{"data":["` + other + `",{"pin":"` + secret + `"}]}`,
		"password=" + form(secret) + "&note=" + form(other), "<login><token>" + secret + "</token><n>" + other + "</n></login>",
		"said " + other + " and no more", "\x00\xff" + other + "\x80", "",
	}).Draw(t, label+" body")
	fields += "Content-Type: " + kind + "\r\n"
	if rapid.Bool().Draw(t, label+" packed") {
		fields, body = fields+"Content-Encoding: gzip\r\n", packed(body)
	}
	if rapid.Bool().Draw(t, label+" chunked") {
		fields += "Transfer-Encoding: chunked\r\n"
	}
	return message(line, fields, body)
}

func checkFraming(t *rapid.T, m *exchange.Message) {
	fields := wire.ParseHead(m.Head).Fields
	if m.Plain {
		return
	}
	if _, chunked := wire.TransferCodings(fields); chunked {
		if _, _, whole := wire.Dechunk(m.Body); !whole {
			t.Fatalf("the chunks are broken: %q", m.Body)
		}
	} else if n, _, err := wire.ContentLength(fields); err != nil || n != int64(len(m.Body)) {
		t.Fatalf("the length is %d (%v), and there are %d bytes", n, err, len(m.Body))
	}
}

// FuzzRest sees that nothing makes it fall, and that what it writes is written again as it is.
func FuzzRest(f *testing.F) {
	f.Add([]byte("GET /?token=a1b2c3d4 HTTP/1.1\r\nCookie: a=b\r\n\r\n"), []byte("5\r\nhello\r\n0\r\n\r\n"), []byte("\x81\x05hello"), int64(3))
	f.Add([]byte("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n\r\n"), []byte(packed(`{"password":"a1b2c3d4"}`)), []byte{0x01, 0x80}, int64(0))
	f.Fuzz(func(t *testing.T, head, body, tunnel []byte, mark int64) {
		m := exchange.Message{Head: head, Body: body}
		e := exchanged(m, m)
		e.Response.Tunnel, e.Response.Trailer, e.Response.Interim = tunnel, head, head
		e.Response.Marks = []exchange.Mark{{End: mark & 0xffff}}
		NewRest(key, nil).Exchange(e)
		e.Request = exchange.ParseRequest(exchange.Message{Head: []byte("GET / HTTP/1.1\r\nUpgrade: websocket\r\n\r\n"), Tunnel: tunnel, Marks: e.Response.Marks})
		NewRest(key, nil).Exchange(e)
	})
}
