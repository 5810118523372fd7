package mock

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
)

const interims = `{"mappings": [
	{"request": {"urlPath": "/hints"}, "response": {"interimStatus": 103, "jsonBody": {"a": 1}}},
	{"request": {"urlPath": "/continue"}, "response": {"interimStatus": 100, "status": 404}},
	{"request": {"urlPath": "/ends"}, "response": {"interimStatus": 102, "fault": "EMPTY_RESPONSE"}},
	{"request": {"urlPath": "/late"}, "response": {"interimStatus": 103, "fixedDelayMilliseconds": 3600000}}]}`

// An interim answer goes before the one that a stub gives, or before its fault, in HTTP/1.1 and in HTTP/2.
func TestInterimAnswers(t *testing.T) {
	s := serve(t, interims, "")
	for _, scheme := range []string{"http", "https"} {
		for path, want := range map[string][]string{"/hints": {"103", `200 OK {"a":1}`}, "/continue": {"100", "404 Not Found "}, "/ends": {"102", "failed"}} {
			var got []string
			trace := &httptrace.ClientTrace{Got1xxResponse: func(code int, _ textproto.MIMEHeader) error {
				got = append(got, fmt.Sprint(code))
				return nil
			}}
			req, err := http.NewRequestWithContext(httptrace.WithClientTrace(t.Context(), trace), http.MethodPost, scheme+"://rates.example.com"+path, strings.NewReader("x"))
			if err != nil {
				t.Fatal(err)
			}
			resp, err := s.client.Do(req)
			final := "failed"
			if err == nil {
				body, _ := io.ReadAll(resp.Body)
				resp.Body.Close()
				final = resp.Status + " " + string(body)
			}
			if diff := cmp.Diff(want, append(got, final)); diff != "" {
				t.Errorf("%s%s: %s", scheme, path, diff)
			}
		}
	}
}

// It is sent at once, though the answer is held back; HTTP/1.0 has none.
func TestInterimAnswersOnTheWire(t *testing.T) {
	s := &Server{}
	at, _ := listen(t, s, "rates.example.com", interims)
	for request, want := range map[string]string{
		"GET /late HTTP/1.1\r\nHost: rates.example.com\r\n\r\n":                       "HTTP/1.1 103 Early Hints\r\n\r\n",
		"GET /hints HTTP/1.1\r\nHost: rates.example.com\r\nConnection: close\r\n\r\n": "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\n",
		"GET /hints HTTP/1.0\r\nHost: rates.example.com\r\n\r\n":                      "HTTP/1.0 200 OK\r\n",
	} {
		conn, err := net.Dial("tcp", at)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(conn, request); err != nil {
			t.Fatal(err)
		}
		got := make([]byte, len(want))
		if _, err := io.ReadFull(conn, got); err != nil || string(got) != want {
			t.Errorf("%q is answered %q, want %q: %v", request, got, want, err)
		}
	}
}

// An interim status is none of an answer, and a final one is none of an interim answer.
func TestInterimStatusesThatCannotBe(t *testing.T) {
	for response, want := range map[string]string{
		`"status": 103`:                       "read stubs: a.json: mapping 1: response: status must be a final one, 200 to 599, got 103: an interim one is interimStatus",
		`"status": 600`:                       "read stubs: a.json: mapping 1: response: status must be 200 to 599, got 600",
		`"interimStatus": 101`:                "read stubs: a.json: mapping 1: response: interimStatus must be 100 to 199, but not 101, which is a final one, got 101",
		`"interimStatus": 200`:                "read stubs: a.json: mapping 1: response: interimStatus must be 100 to 199, but not 101, which is a final one, got 200",
		`"interimStatus": -1`:                 "read stubs: a.json: mapping 1: response: interimStatus must be 100 to 199, but not 101, which is a final one, got -1",
		`"interimStatus": 103, "status": 101`: "read stubs: a.json: mapping 1: response: status must be a final one, 200 to 599, got 101: an interim one is interimStatus",
		`"interimStatus": "103"`:              `read stubs: a.json: mapping 1: "response.interimStatus" must be a number, got string`,
	} {
		_, err := ReadStubs(fstest.MapFS{"a.json": {Data: []byte(`{"request": {}, "response": {` + response + `}}`)}})
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", response, err, want)
		}
	}
	about := Stub{Name: "a", Response: Response{Status: 200, Interim: 103, Body: []byte("x")}}.About()
	if want := "a answers 103, then answers 200 x"; about != want {
		t.Errorf("it is said that %s, want %s", about, want)
	}
}
