package proxy_test

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
)

// oddRequests are what no sane client sends, and what some do. Each is one connection's worth of bytes.
func oddRequests() map[string]string {
	const h = "Host: api.example\r\n"
	return map[string]string{
		"plain":                     "GET / HTTP/1.1\r\n" + h + "\r\n",
		"case and order":            "GET /a HTTP/1.1\r\nx-b: 1\r\nhOsT: api.example\r\nX-A: 2\r\nACCEPT: */*\r\n\r\n",
		"duplicates":                "GET /a HTTP/1.1\r\n" + h + "X: 1\r\nX: 1\r\nx: 2\r\nHost: other.example\r\n\r\n",
		"folding":                   "GET /a HTTP/1.1\r\n" + h + "X: one\r\n two\r\n\tthree\r\n\r\n",
		"fold before fields":        "GET /a HTTP/1.1\r\n folded: first\r\n" + h + "\r\n",
		"spacing":                   "GET /a HTTP/1.1\r\nHost:api.example\r\nA:   b   \r\nC\t:\td\r\nE : f\r\n\r\n",
		"spaces in request line":    "GET  /a  HTTP/1.1\r\n" + h + "\r\n",
		"raw space in path":         "GET /a b c HTTP/1.1\r\n" + h + "\r\n",
		"tab in request line":       "GET\t/a\tHTTP/1.1\r\n" + h + "\r\n",
		"bare LF":                   "GET /a HTTP/1.1\nHost: api.example\n\n",
		"blank lines before":        "\r\n\r\nGET /a HTTP/1.1\r\n" + h + "\r\n",
		"control bytes":             "GET /\x01\x7f HTTP/1.1\r\n" + h + "X: a\x00b\x0bc\x1b\r\n\r\n",
		"non-ASCII":                 "GET /ü/\xff\xfe HTTP/1.1\r\n" + h + "X-Ünï: \xe4\xf6\xfc ☃\r\n\r\n",
		"characters to be escaped":  "GET /|\"<>^`{}\\?a=[]|&b='\" HTTP/1.1\r\n" + h + "\r\n",
		"broken escapes":            "GET /%zz/%/%2?a=%zz&%=%&;=; HTTP/1.1\r\n" + h + "\r\n",
		"dots and slashes":          "GET //a/./b/../c//..;/ HTTP/1.1\r\n" + h + "\r\n",
		"fragment":                  "GET /a#frag?x#y HTTP/1.1\r\n" + h + "\r\n",
		"bare CR":                   "GET /a HTTP/1.1\r\n" + h + "X: a\rb\r\n\r\n",
		"no host":                   "GET /a HTTP/1.1\r\n\r\n",
		"empty host":                "GET /a HTTP/1.1\r\nHost:\r\n\r\n",
		"line without colon":        "GET /a HTTP/1.1\r\n" + h + "what is this\r\n\r\n",
		"empty name":                "GET /a HTTP/1.1\r\n" + h + ": x\r\n\r\n",
		"no method":                 " /a HTTP/1.1\r\n" + h + "\r\n",
		"odd method":                "g3t!#$%&'*+-.^_`|~ /a HTTP/1.1\r\n" + h + "\r\n",
		"long method":               strings.Repeat("M", 5000) + " /a HTTP/1.1\r\n" + h + "\r\n",
		"OPTIONS *":                 "OPTIONS * HTTP/1.1\r\n" + h + "\r\n",
		"absolute":                  "GET http://elsewhere.example/a?b HTTP/1.1\r\n" + h + "\r\n",
		"absolute with raw UTF-8":   "GET http://elsewhere.example/ü☃?q=ß HTTP/1.1\r\n" + h + "\r\n",
		"absolute of odd scheme":    "GET ftp://elsewhere.example/a HTTP/1.1\r\n" + h + "\r\n",
		"CONNECT":                   "CONNECT elsewhere.example:443 HTTP/1.1\r\n" + h + "\r\n",
		"authority form":            "GET elsewhere.example:80 HTTP/1.1\r\n" + h + "\r\n",
		"no slash":                  "GET a/b HTTP/1.1\r\n" + h + "\r\n",
		"HTTP/1.0":                  "GET /a HTTP/1.0\r\n\r\n",
		"HTTP/0.9":                  "GET /a\r\n",
		"HTTP/9.9":                  "GET /a HTTP/9.9\r\n" + h + "\r\n",
		"HTTP/1.1 in small letters": "GET /a http/1.1\r\n" + h + "\r\n",
		"HTTP/2 preface":            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00",
		"no version":                "GET /a\r\n" + h + "\r\n",
		"garbage":                   "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + strings.Repeat("\xee", 300),
		"one byte":                  "G",
		"cut in the head":           "GET /a HTTP/1.1\r\nHost: api.ex",
		"body":                      "POST /a HTTP/1.1\r\n" + h + "Content-Length: 5\r\n\r\nhello",
		"body of GET":               "GET /a HTTP/1.1\r\n" + h + "Content-Length: 5\r\n\r\nhello",
		"body of zeros":             "POST /a HTTP/1.1\r\n" + h + "Content-Length: 0\r\n\r\n",
		"body cut":                  "POST /a HTTP/1.1\r\n" + h + "Content-Length: 500\r\n\r\nhello",
		"body too long":             "POST /a HTTP/1.1\r\n" + h + "Content-Length: 2\r\n\r\nhello",
		"body not announced":        "POST /a HTTP/1.1\r\n" + h + "\r\nhello",
		"negative length":           "POST /a HTTP/1.1\r\n" + h + "Content-Length: -5\r\n\r\nhello",
		"signed length":             "POST /a HTTP/1.1\r\n" + h + "Content-Length: +5\r\n\r\nhello",
		"length of words":           "POST /a HTTP/1.1\r\n" + h + "Content-Length: five\r\n\r\nhello",
		"huge length":               "POST /a HTTP/1.1\r\n" + h + "Content-Length: 99999999999999999999999\r\n\r\nhello",
		"two lengths":               "POST /a HTTP/1.1\r\n" + h + "Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello",
		"two lengths that differ":   "POST /a HTTP/1.1\r\n" + h + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
		"list of lengths":           "POST /a HTTP/1.1\r\n" + h + "Content-Length: 5, 5\r\n\r\nhello",
		"length and chunked":        "POST /a HTTP/1.1\r\n" + h + "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
		"chunked":                   "POST /a HTTP/1.1\r\n" + h + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
		"chunk sizes":               "POST /a HTTP/1.1\r\n" + h + "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n0002\r\nbc\r\nA\r\n0123456789\r\n00\r\n\r\n",
		"chunk extensions":          "POST /a HTTP/1.1\r\n" + h + "Transfer-Encoding: chunked\r\n\r\n5;a=b;c=\"d\"\r\nhello\r\n0;end\r\n\r\n",
		"trailers":                  "POST /a HTTP/1.1\r\n" + h + "Transfer-Encoding: chunked\r\nTrailer: X\r\n\r\n5\r\nhello\r\n0\r\nX: y\r\nx-z:  1\r\n\r\n",
		"bad chunk size":            "POST /a HTTP/1.1\r\n" + h + "Transfer-Encoding: chunked\r\n\r\n5x\r\nhello\r\n0\r\n\r\n",
		"chunk too long":            "POST /a HTTP/1.1\r\n" + h + "Transfer-Encoding: chunked\r\n\r\n2\r\nhello\r\n0\r\n\r\n",
		"chunked in odd case":       "POST /a HTTP/1.1\r\n" + h + "Transfer-Encoding:  cHuNkEd \r\n\r\n5\r\nhello\r\n0\r\n\r\n",
		"unknown coding":            "POST /a HTTP/1.1\r\n" + h + "Transfer-Encoding: xchunked\r\n\r\nhello",
		"chunked not last":          "POST /a HTTP/1.1\r\n" + h + "Transfer-Encoding: chunked, gzip\r\n\r\nhello",
		"expect":                    "POST /a HTTP/1.1\r\n" + h + "Expect: 100-continue\r\nContent-Length: 5\r\n\r\nhello",
		"odd expect":                "POST /a HTTP/1.1\r\n" + h + "Expect: 7-wonders\r\nContent-Length: 5\r\n\r\nhello",
		"upgrade":                   "GET /a HTTP/1.1\r\n" + h + "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\n\r\n",
		"hop by hop":                "GET /a HTTP/1.1\r\n" + h + "Connection: close, X-Y\r\nKeep-Alive: 5\r\nTE: trailers\r\nX-Y: z\r\nProxy-Connection: keep-alive\r\nProxy-Authorization: Basic eA==\r\n\r\n",
		"forwarded":                 "GET /a HTTP/1.1\r\n" + h + "X-Forwarded-For: 1.2.3.4\r\nVia: 1.0 x\r\nForwarded: for=x\r\n\r\n",
		"many fields":               "GET /a HTTP/1.1\r\n" + h + strings.Repeat("X-Y: z\r\n", 5000) + "\r\n",
		"1 MB of headers":           "GET /a HTTP/1.1\r\n" + h + "X: " + strings.Repeat("x", 1<<20) + "\r\n\r\n",
		"long target":               "GET /" + strings.Repeat("a", 300<<10) + " HTTP/1.1\r\n" + h + "\r\n",
		"large body":                "POST /a HTTP/1.1\r\n" + h + "Content-Length: 3000000\r\n\r\n" + strings.Repeat("0123456789", 300000),
		"pipelined":                 "GET /1 HTTP/1.1\r\n" + h + "\r\nPOST /2 HTTP/1.1\r\n" + h + "Content-Length: 2\r\n\r\nab\r\nGET /3 HTTP/1.1\r\n" + h + "\r\n",
		"pipelined after garbage":   "what\r\n\r\nGET /3 HTTP/1.1\r\n" + h + "\r\n",
	}
}

// A target gets what the client sent, byte for byte, and the client what the target answered; what was sent is in the
// record.
func TestOddRequestsArriveAsSent(t *testing.T) {
	if n := len(oddRequests()); n < 60 {
		t.Errorf("only %d requests", n)
	}
	for _, w := range ways() {
		t.Run(w.name, func(t *testing.T) {
			got := make(chan []byte, 1)
			rec, connect := w.open(t, func(c net.Conn) {
				b, _ := io.ReadAll(c)
				got <- b
				io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")
			})
			for name, request := range oddRequests() {
				c := connect()
				if _, err := io.WriteString(c, request); err != nil {
					t.Errorf("%s: %v", name, err)
					continue
				}
				finish(t, c)
				answer := readAll(t, c)
				if b := <-got; string(b) != request {
					t.Errorf("%s: sent %s\narrived %s", name, clip([]byte(request)), clip(b))
				}
				if !bytes.HasSuffix(answer, []byte("\r\n\r\nok")) {
					t.Errorf("%s: answered %s", name, clip(answer))
				}
				c.Close()
				if name == "HTTP/2 preface" {
					continue // passes unrecorded
				}
				if sent := recorded(t, rec, len(request)); string(sent) != request {
					t.Errorf("%s: sent %s\nrecorded %s", name, clip([]byte(request)), clip(sent))
				}
			}
			rec.empty(t)
		})
	}
}

// recorded returns the bytes of the requests recorded next, at least n of them.
func recorded(t *testing.T, rec *tape, n int) []byte {
	t.Helper()
	var sent []byte
	for len(sent) < n {
		e := rec.next(t)
		if (e.Response == nil) == (e.Fault == nil) {
			t.Errorf("%s %s has answer %v and fault %v", e.Request.Method, e.Request.Target, e.Response, e.Fault)
		}
		sent = append(append(sent, e.Request.Head...), e.Request.Body...)
	}
	return sent
}

// oddReplies are answers to a GET, and what the record makes of them.
func oddReplies() map[string]struct {
	reply  string
	status int
	kind   exchange.FaultKind
} {
	type reply = struct {
		reply  string
		status int
		kind   exchange.FaultKind
	}
	return map[string]reply{
		"plain":                  {"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", 200, ""},
		"no reason":              {"HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nok", 200, ""},
		"empty reason":           {"HTTP/1.1 200 \r\nContent-Length: 2\r\n\r\nok", 200, ""},
		"odd reason":             {"HTTP/1.1 200 Läuft \x01 wie's soll\r\nContent-Length: 2\r\n\r\nok", 200, ""},
		"status 099":             {"HTTP/1.1 099 What\r\nContent-Length: 2\r\n\r\nok", 99, ""},
		"status 299":             {"HTTP/1.1 299 Odd\r\nContent-Length: 2\r\n\r\nok", 299, ""},
		"status 999":             {"HTTP/1.1 999 Odd\r\nContent-Length: 2\r\n\r\nok", 999, ""},
		"status 20":              {"HTTP/1.1 20 OK\r\nContent-Length: 2\r\n\r\nok", 0, exchange.FaultUnparseable},
		"status 2000":            {"HTTP/1.1 2000 OK\r\nContent-Length: 2\r\n\r\nok", 0, exchange.FaultUnparseable},
		"HTTP/1.0":               {"HTTP/1.0 200 OK\r\n\r\nuntil the end", 200, ""},
		"HTTP/3.7":               {"HTTP/3.7 200 OK\r\nContent-Length: 2\r\n\r\nok", 200, ""},
		"until close":            {"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nuntil the end", 200, ""},
		"chunked":                {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", 200, ""},
		"chunked with trailers":  {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X\r\n\r\n2;x=\"y\"\r\nok\r\n000\r\nX: y\r\nZ:z\r\n\r\n", 200, ""},
		"chunked and length":     {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n2\r\nok\r\n0\r\n\r\n", 200, ""},
		"100":                    {"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", 200, ""},
		"102 and 103":            {"HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", 200, ""},
		"204":                    {"HTTP/1.1 204 No Content\r\n\r\n", 204, ""},
		"204 with length":        {"HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n", 204, ""},
		"304 with length":        {"HTTP/1.1 304 Not Modified\r\nContent-Length: 500\r\nETag: \"x\"\r\n\r\n", 304, ""},
		"empty":                  {"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", 200, ""},
		"case, order, duplicate": {"HTTP/1.1 200 OK\r\nx-B: 1\r\nSET-cookie: a\r\nset-cookie: b\r\ncontent-length: 2\r\nA: 1\r\n\r\nok", 200, ""},
		"folding":                {"HTTP/1.1 200 OK\r\nX: a\r\n b\r\nContent-Length: 2\r\n\r\nok", 200, ""},
		"control and non-ASCII":  {"HTTP/1.1 200 OK\r\nX: \x00\x01\xff ü\r\nX Y: 1\r\nContent-Length: 2\r\n\r\nok", 200, ""},
		"line without colon":     {"HTTP/1.1 200 OK\r\nwhat\r\nContent-Length: 2\r\n\r\nok", 200, ""},
		"bare LF":                {"HTTP/1.1 200 OK\nContent-Length: 2\n\nok", 200, ""},
		"bad length":             {"HTTP/1.1 200 OK\r\nContent-Length: two\r\n\r\nok", 200, ""},
		"two lengths":            {"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok!", 200, ""},
		"bad chunk":              {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\nok\r\n0\r\n\r\n", 200, ""},
		"coded":                  {"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\n\x1f\x8bxx", 200, ""},
		"large header":           {"HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 1<<20) + "\r\nContent-Length: 2\r\n\r\nok", 200, ""},
		"large body":             {"HTTP/1.1 200 OK\r\nContent-Length: 3000000\r\n\r\n" + strings.Repeat("0123456789", 300000), 200, ""},
		"more than was asked":    {"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 408 Timeout\r\nContent-Length: 0\r\n\r\n", 200, ""},
		"garbage":                {"SSH-2.0-OpenSSH_9.6\r\n", 0, exchange.FaultUnparseable},
		"HTTP/0.9":               {"<html>hello</html>\n\nhello", 0, exchange.FaultUnparseable},
		"nothing":                {"", 0, exchange.FaultEOF},
		"cut in the first word":  {"HT", 0, exchange.FaultTruncated},
		"cut in the head":        {"HTTP/1.1 200 OK\r\nContent-Le", 0, exchange.FaultTruncated},
		"cut in the body":        {"HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\nok", 0, exchange.FaultTruncated},
		"cut between chunks":     {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n", 0, exchange.FaultTruncated},
		"cut after 100":          {"HTTP/1.1 100 Continue\r\n\r\n", 0, exchange.FaultEOF},
	}
}

func TestOddRepliesArriveAsSent(t *testing.T) {
	const request = "GET /a HTTP/1.1\r\nHost: api.example\r\n\r\n"
	if n := len(oddReplies()); n < 30 {
		t.Errorf("only %d replies", n)
	}
	for _, w := range ways() {
		t.Run(w.name, func(t *testing.T) {
			replies := make(chan string, 1)
			rec, connect := w.open(t, func(c net.Conn) {
				b := make([]byte, len(request))
				io.ReadFull(c, b)
				io.WriteString(c, <-replies)
			})
			for name, tt := range oddReplies() {
				replies <- tt.reply
				c := connect()
				io.WriteString(c, request)
				if got := readAll(t, c); string(got) != tt.reply {
					t.Errorf("%s: sent %s\narrived %s", name, clip([]byte(tt.reply)), clip(got))
				}
				c.Close()
				e := rec.next(t)
				if err := checkReply(e, tt.reply, tt.status, tt.kind); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
			rec.empty(t)
		})
	}
}

// checkReply says what of an answer is not in the record as it should be.
func checkReply(e *exchange.Exchange, reply string, status int, kind exchange.FaultKind) error {
	switch {
	case kind != "" && e.Fault == nil:
		return fmt.Errorf("recorded as %d, want fault %s", e.Response.Status, kind)
	case kind != "" && e.Fault.Kind != kind:
		return fmt.Errorf("recorded as fault %s, want %s", e.Fault, kind)
	case kind != "":
		if seen := string(e.Fault.Seen.Head) + string(e.Fault.Seen.Body); !strings.HasSuffix(reply, seen) || kind != exchange.FaultEOF && seen != reply {
			return fmt.Errorf("fault has seen %s", clip([]byte(seen)))
		}
		return nil
	case e.Fault != nil:
		return fmt.Errorf("recorded as fault %s, want status %d", e.Fault, status)
	case e.Response.Status != status:
		return fmt.Errorf("recorded as %d, want %d", e.Response.Status, status)
	}
	whole := string(e.Response.Interim) + string(e.Response.Head) + string(e.Response.Body)
	if !strings.HasPrefix(reply, whole) || len(whole) < len(reply) && !strings.Contains(reply, "408") {
		return fmt.Errorf("recorded %s", clip([]byte(whole)))
	}
	return nil
}

// HEAD and the answers that have no body in spite of their headers, several on one connection.
func TestAnswersWithoutBody(t *testing.T) {
	exchanges := []struct{ request, reply string }{
		{"HEAD /1 HTTP/1.1\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n"},
		{"HEAD /2 HTTP/1.1\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"},
		{"GET /3 HTTP/1.1\r\n\r\n", "HTTP/1.1 304 Not Modified\r\nContent-Length: 500\r\n\r\n"},
		{"POST /4 HTTP/1.1\r\nContent-Length: 1\r\n\r\nx", "HTTP/1.1 204 No Content\r\n\r\n"},
		{"GET /5 HTTP/1.1\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"},
	}
	for _, pipelined := range []bool{false, true} {
		t.Run(fmt.Sprintf("pipelined=%v", pipelined), func(t *testing.T) {
			rec, connect := ways()[0].open(t, func(c net.Conn) {
				if pipelined {
					io.ReadFull(c, make([]byte, len(exchanges[0].request)+len(exchanges[1].request)+len(exchanges[2].request)+len(exchanges[3].request)+len(exchanges[4].request)))
				}
				for _, x := range exchanges {
					if !pipelined {
						io.ReadFull(c, make([]byte, len(x.request)))
					}
					io.WriteString(c, x.reply)
				}
			})
			c := connect()
			for _, x := range exchanges {
				io.WriteString(c, x.request)
				if !pipelined {
					io.ReadFull(c, make([]byte, len(x.reply)))
				}
			}
			readAll(t, c)
			c.Close()
			for _, x := range exchanges {
				e := rec.next(t)
				if e.Response == nil || string(e.Request.Head)+string(e.Request.Body) != x.request ||
					string(e.Response.Head)+string(e.Response.Body) != x.reply {
					t.Errorf("%q: recorded %q, %+v", x.request, e.Request.Head, e.Response)
				}
			}
			rec.empty(t)
		})
	}
}
