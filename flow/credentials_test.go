package flow

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/exchange"
)

const (
	tokenA = "secret:0123456789ab"
	tokenB = "secret:ba9876543210"
)

func credentialRequest(fields, body string) exchange.Request {
	return exchange.ParseRequest(exchange.Message{
		Head: []byte("POST /a/" + tokenB + "?key=secret%3A0123456789ab HTTP/1.1\r\n" + fields + "\r\n"), Body: []byte(body),
	})
}

func TestCredentialsFill(t *testing.T) {
	const form = "Content-Type: application/x-www-form-urlencoded\r\n"
	for _, c := range []struct {
		name               string
		with               Credentials
		fields, body       string
		wantHead, wantBody string // parts of them
	}{
		{"header", Credentials{{"authorization", "Bearer x,y"}}, "Authorization: Bearer " + tokenA + "\r\n", "", "Authorization: Bearer x,y\r\n", ""},
		{"no token", Credentials{{"Authorization", "Bearer x"}}, "Authorization: Bearer own\r\n", "", "Authorization: Bearer own\r\n", ""},
		{"token", Credentials{{"Authorization", "n"}, {tokenA, "x"}}, "Authorization: Bearer " + tokenA + "\r\n", "", "Authorization: Bearer x\r\n", ""},
		{"cookie", Credentials{{"Cookie", "a=1; sid=2"}}, "Cookie: sid=" + tokenA + "; b=3\r\n", "", "Cookie: sid=2; b=3\r\n", ""},
		{"cookie by name", Credentials{{"sid", "2"}}, "Cookie: sid=" + tokenA + "\r\n", "", "Cookie: sid=2\r\n", ""},
		{"query", Credentials{{"key", "a&b"}}, "", "", "?key=a%26b HTTP", ""},
		{"path", Credentials{{"/path/*", "x/y"}}, "", "", "POST /a/x%2Fy?", ""},
		{"json", Credentials{{"pass-word", `"ö`}}, "Content-Length: 34\r\n", `{"passWord": "` + tokenA + `"}`, "Content-Length: 20\r\n", `{"passWord": "\"ö"}`},
		{"place before name", Credentials{{"p", "n"}, {"/body/p", "y"}}, "Content-Length: 27\r\n", `{"p":"` + tokenA + `"}`, "", `{"p":"y"}`},
		{"form", Credentials{{"p", "a b"}}, form + "Content-Length: 23\r\n", "p=secret%3A0123456789ab", "Content-Length: 7\r\n", "p=a%20b"},
		{"JSON as a form", Credentials{{"p", "a=b"}}, form + "Content-Length: 27\r\n", `{"p":"` + tokenA + `"}`, "Content-Length: 11\r\n", `{"p":"a=b"}`},
		{"JSON as text", Credentials{{"p", "a"}}, "Content-Type: text/plain\r\n", `{"p":"` + tokenA + `"}`, "", `{"p":"a"}`},
		{"chunked", Credentials{{"p", "x"}}, "Transfer-Encoding: chunked\r\n", "1b\r\n" + `{"p":"` + tokenA + `"}` + "\r\n0\r\n\r\n", "", "9\r\n" + `{"p":"x"}` + "\r\n0\r\n\r\n"},
	} {
		got := Renewal{Credentials: c.with}.Fill(credentialRequest(c.fields, c.body), time.Time{}, time.Time{})
		if !strings.Contains(string(got.Head), c.wantHead) || !strings.Contains(string(got.Body), c.wantBody) {
			t.Errorf("%s: %q\n%q", c.name, got.Head, got.Body)
		}
	}
}

func TestCredentialsLacking(t *testing.T) {
	request := func(seq uint64, head, body string) *exchange.Exchange {
		return &exchange.Exchange{Seq: seq, Request: exchange.ParseRequest(exchange.Message{Head: []byte(head), Body: []byte(body)}),
			Response: exchange.ParseResponse(exchange.Message{Head: []byte("HTTP/1.1 200 OK\r\n\r\n")})}
	}
	all := []*exchange.Exchange{
		request(1, "GET / HTTP/1.1\r\n\r\n", ""),
		request(2, "GET / HTTP/1.1\r\nAuthorization: Bearer "+tokenA+"\r\n\r\n", ""),
		request(3, "GET / HTTP/1.1\r\nAuthorization: Bearer "+tokenB+"\r\nX-Key: "+tokenA+"\r\n\r\n", ""),
		request(4, "POST / HTTP/1.1\r\nContent-Type: multipart/form-data; boundary=b\r\n\r\n", "--b\r\n\r\n"+tokenA),
		request(5, "GET / HTTP/1.1\r\nAuthorization: "+tokenB+"\r\n\r\n", ""),
		request(6, "CONNECT a:1 HTTP/1.1\r\nAuthorization: "+tokenB+"\r\n\r\n", ""),
	}
	bindings := []exchange.Binding{{Value: tokenB, Uses: []exchange.Ref{{Seq: 3, Place: "/header/authorization"}, {Seq: 5, Place: "/header/authorization"}}}}
	if diff := cmp.Diff(Lack{Requests: 3, First: exchange.Ref{Seq: 2, Place: "/header/authorization"}}, Renewal{}.Lacking(slices.Values(all), bindings, time.Time{})); diff != "" {
		t.Error(diff)
	}
	some := Credentials{{"authorization", "x"}, {"nothing", "y"}, {"X-Key", "z"}}
	if diff := cmp.Diff(Lack{Requests: 1, First: exchange.Ref{Seq: 4}, Unused: []string{"nothing"}}, Renewal{Credentials: some}.Lacking(slices.Values(all), bindings, time.Time{})); diff != "" {
		t.Error(diff)
	}
}
