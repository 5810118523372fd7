package proxy_test

import (
	"strings"

	"github.com/flaketap/flaketap/exchange"
)

// The corpus: what no sane client and no sane API sends, and some of what they do. Every byte of it must arrive as it
// was sent, on each of the ways through the recorder; BenchmarkCorpus holds other proxies against it.

// oddRequest is one connection's worth of bytes from a client, which then ends its stream.
type oddRequest struct{ name, bytes string }

// oddRequests are all of them, by what is odd.
func oddRequests() []oddRequest {
	return append(append(startLines(), fieldLines()...), bodies()...)
}

func startLines() []oddRequest {
	const h = "Host: api.example\r\n"
	return []oddRequest{
		{"plain", "GET / HTTP/1.1\r\n" + h + "\r\n"},
		{"spaces in request line", "GET  /a  HTTP/1.1\r\n" + h + "\r\n"},
		{"raw space in path", "GET /a b c HTTP/1.1\r\n" + h + "\r\n"},
		{"tab in request line", "GET\t/a\tHTTP/1.1\r\n" + h + "\r\n"},
		{"blank lines before", "\r\n\r\nGET /a HTTP/1.1\r\n" + h + "\r\n"},
		{"control bytes", "GET /\x01\x7f HTTP/1.1\r\n" + h + "X: a\x00b\x0bc\x1b\r\n\r\n"},
		{"characters to be escaped", "GET /|\"<>^`{}\\?a=[]|&b='\" HTTP/1.1\r\n" + h + "\r\n"},
		{"broken escapes", "GET /%zz/%/%2?a=%zz&%=%&;=; HTTP/1.1\r\n" + h + "\r\n"},
		{"dots and slashes", "GET //a/./b/../c//..;/ HTTP/1.1\r\n" + h + "\r\n"},
		{"fragment", "GET /a#frag?x#y HTTP/1.1\r\n" + h + "\r\n"},
		{"no method", " /a HTTP/1.1\r\n" + h + "\r\n"},
		{"odd method", "g3t!#$%&'*+-.^_`|~ /a HTTP/1.1\r\n" + h + "\r\n"},
		{"long method", strings.Repeat("M", 5000) + " /a HTTP/1.1\r\n" + h + "\r\n"},
		{"long target", "GET /" + strings.Repeat("a", 300<<10) + " HTTP/1.1\r\n" + h + "\r\n"},
		{"HTTP/1.0", "GET /a HTTP/1.0\r\n\r\n"},
		{"HTTP/0.9", "GET /a\r\n"},
		{"HTTP/9.9", "GET /a HTTP/9.9\r\n" + h + "\r\n"},
		{"HTTP/1.1 in small letters", "GET /a http/1.1\r\n" + h + "\r\n"},
		{"no version", "GET /a\r\n" + h + "\r\n"},
		{"OPTIONS *", "OPTIONS * HTTP/1.1\r\n" + h + "\r\n"},
		{"absolute", "GET http://elsewhere.example/a?b HTTP/1.1\r\n" + h + "\r\n"},
		{"absolute with raw UTF-8", "GET http://elsewhere.example/ü☃?q=ß HTTP/1.1\r\n" + h + "\r\n"},
		{"absolute of odd scheme", "GET ftp://elsewhere.example/a HTTP/1.1\r\n" + h + "\r\n"},
		{"CONNECT", "CONNECT elsewhere.example:443 HTTP/1.1\r\n" + h + "\r\n"},
		{"authority form", "GET elsewhere.example:80 HTTP/1.1\r\n" + h + "\r\n"},
		{"no slash", "GET a/b HTTP/1.1\r\n" + h + "\r\n"},
		{"garbage", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + strings.Repeat("\xee", 300)},
		{"one byte", "G"},
		{"HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00"},
	}
}

func fieldLines() []oddRequest {
	const h = "Host: api.example\r\n"
	return []oddRequest{
		{"case and order", "GET /a HTTP/1.1\r\nx-b: 1\r\nhOsT: api.example\r\nX-A: 2\r\nACCEPT: */*\r\n\r\n"},
		{"duplicates", "GET /a HTTP/1.1\r\n" + h + "X: 1\r\nX: 1\r\nx: 2\r\nHost: other.example\r\n\r\n"},
		{"folding", "GET /a HTTP/1.1\r\n" + h + "X: one\r\n two\r\n\tthree\r\n\r\n"},
		{"fold before fields", "GET /a HTTP/1.1\r\n folded: first\r\n" + h + "\r\n"},
		{"spacing", "GET /a HTTP/1.1\r\nHost:api.example\r\nA:   b   \r\nC\t:\td\r\nE : f\r\n\r\n"},
		{"bare LF", "GET /a HTTP/1.1\nHost: api.example\n\n"},
		{"non-ASCII", "GET /ü/\xff\xfe HTTP/1.1\r\n" + h + "X-Ünï: \xe4\xf6\xfc ☃\r\n\r\n"},
		{"bare CR", "GET /a HTTP/1.1\r\n" + h + "X: a\rb\r\n\r\n"},
		{"no host", "GET /a HTTP/1.1\r\n\r\n"},
		{"empty host", "GET /a HTTP/1.1\r\nHost:\r\n\r\n"},
		{"line without colon", "GET /a HTTP/1.1\r\n" + h + "what is this\r\n\r\n"},
		{"empty name", "GET /a HTTP/1.1\r\n" + h + ": x\r\n\r\n"},
		{"expect", "POST /a HTTP/1.1\r\n" + h + "Expect: 100-continue\r\nContent-Length: 5\r\n\r\nhello"},
		{"odd expect", "POST /a HTTP/1.1\r\n" + h + "Expect: 7-wonders\r\nContent-Length: 5\r\n\r\nhello"},
		{"upgrade", "GET /a HTTP/1.1\r\n" + h + "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\n\r\n"},
		{"upgrade to h2c", "GET /a HTTP/1.1\r\n" + h + "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n"},
		{"hop by hop", "GET /a HTTP/1.1\r\n" + h + "Connection: close, X-Y\r\nKeep-Alive: 5\r\nTE: trailers\r\nX-Y: z\r\nProxy-Connection: keep-alive\r\nProxy-Authorization: Basic eA==\r\n\r\n"},
		{"forwarded", "GET /a HTTP/1.1\r\n" + h + "X-Forwarded-For: 1.2.3.4\r\nVia: 1.0 x\r\nForwarded: for=x\r\n\r\n"},
		{"many fields", "GET /a HTTP/1.1\r\n" + h + strings.Repeat("X-Y: z\r\n", 5000) + "\r\n"},
		{"1 MB of headers", "GET /a HTTP/1.1\r\n" + h + "X: " + strings.Repeat("x", 1<<20) + "\r\n\r\n"},
		{"cut in the head", "GET /a HTTP/1.1\r\nHost: api.ex"},
	}
}

func bodies() []oddRequest {
	const h = "Host: api.example\r\n"
	return []oddRequest{
		{"body", "POST /a HTTP/1.1\r\n" + h + "Content-Length: 5\r\n\r\nhello"},
		{"body of GET", "GET /a HTTP/1.1\r\n" + h + "Content-Length: 5\r\n\r\nhello"},
		{"body of zeros", "POST /a HTTP/1.1\r\n" + h + "Content-Length: 0\r\n\r\n"},
		{"body cut", "POST /a HTTP/1.1\r\n" + h + "Content-Length: 500\r\n\r\nhello"},
		{"body too long", "POST /a HTTP/1.1\r\n" + h + "Content-Length: 2\r\n\r\nhello"},
		{"body not announced", "POST /a HTTP/1.1\r\n" + h + "\r\nhello"},
		{"compressed body", "POST /a HTTP/1.1\r\n" + h + "Content-Encoding: gzip\r\nContent-Length: 20\r\n\r\n\x1f\x8b\b\x00\x00\x00\x00\x00\x00\x03\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00"},
		{"negative length", "POST /a HTTP/1.1\r\n" + h + "Content-Length: -5\r\n\r\nhello"},
		{"signed length", "POST /a HTTP/1.1\r\n" + h + "Content-Length: +5\r\n\r\nhello"},
		{"hexadecimal length", "POST /a HTTP/1.1\r\n" + h + "Content-Length: 0x5\r\n\r\nhello"},
		{"length of words", "POST /a HTTP/1.1\r\n" + h + "Content-Length: five\r\n\r\nhello"},
		{"huge length", "POST /a HTTP/1.1\r\n" + h + "Content-Length: 99999999999999999999999\r\n\r\nhello"},
		{"two lengths", "POST /a HTTP/1.1\r\n" + h + "Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello"},
		{"two lengths that differ", "POST /a HTTP/1.1\r\n" + h + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!"},
		{"list of lengths", "POST /a HTTP/1.1\r\n" + h + "Content-Length: 5, 5\r\n\r\nhello"},
		{"length and chunked", "POST /a HTTP/1.1\r\n" + h + "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"},
		{"chunked", "POST /a HTTP/1.1\r\n" + h + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"},
		{"chunk sizes", "POST /a HTTP/1.1\r\n" + h + "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n0002\r\nbc\r\nA\r\n0123456789\r\n00\r\n\r\n"},
		{"chunk extensions", "POST /a HTTP/1.1\r\n" + h + "Transfer-Encoding: chunked\r\n\r\n5;a=b;c=\"d\"\r\nhello\r\n0;end\r\n\r\n"},
		{"chunks ended by LF", "POST /a HTTP/1.1\r\n" + h + "Transfer-Encoding: chunked\r\n\r\n5\nhello\n0\n\n"},
		{"trailers", "POST /a HTTP/1.1\r\n" + h + "Transfer-Encoding: chunked\r\nTrailer: X\r\n\r\n5\r\nhello\r\n0\r\nX: y\r\nx-z:  1\r\n\r\n"},
		{"bad chunk size", "POST /a HTTP/1.1\r\n" + h + "Transfer-Encoding: chunked\r\n\r\n5x\r\nhello\r\n0\r\n\r\n"},
		{"chunk too long", "POST /a HTTP/1.1\r\n" + h + "Transfer-Encoding: chunked\r\n\r\n2\r\nhello\r\n0\r\n\r\n"},
		{"chunked in odd case", "POST /a HTTP/1.1\r\n" + h + "Transfer-Encoding:  cHuNkEd \r\n\r\n5\r\nhello\r\n0\r\n\r\n"},
		{"unknown coding", "POST /a HTTP/1.1\r\n" + h + "Transfer-Encoding: xchunked\r\n\r\nhello"},
		{"chunked not last", "POST /a HTTP/1.1\r\n" + h + "Transfer-Encoding: chunked, gzip\r\n\r\nhello"},
		{"chunked twice", "POST /a HTTP/1.1\r\n" + h + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"},
		{"coding behind a vertical tab", "POST /a HTTP/1.1\r\n" + h + "Transfer-Encoding: \vchunked\r\nContent-Length: 5\r\n\r\nhello"},
		{"large body", "POST /a HTTP/1.1\r\n" + h + "Content-Length: 3000000\r\n\r\n" + strings.Repeat("0123456789", 300000)},
		{"pipelined", "GET /1 HTTP/1.1\r\n" + h + "\r\nPOST /2 HTTP/1.1\r\n" + h + "Content-Length: 2\r\n\r\nab\r\nGET /3 HTTP/1.1\r\n" + h + "\r\n"},
		{"pipelined after garbage", "what\r\n\r\nGET /3 HTTP/1.1\r\n" + h + "\r\n"},
	}
}

// oddReply is what an API answers a GET with before it closes the connection, and what the record makes of it: a status,
// or a kind of fault.
type oddReply struct {
	name, bytes string
	status      int
	kind        exchange.FaultKind
}

// oddReplies are all of them.
func oddReplies() []oddReply {
	return []oddReply{
		{"plain", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", 200, ""},
		{"no reason", "HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nok", 200, ""},
		{"empty reason", "HTTP/1.1 200 \r\nContent-Length: 2\r\n\r\nok", 200, ""},
		{"odd reason", "HTTP/1.1 200 Läuft \x01 wie's soll\r\nContent-Length: 2\r\n\r\nok", 200, ""},
		{"status 099", "HTTP/1.1 099 What\r\nContent-Length: 2\r\n\r\nok", 99, ""},
		{"status 299", "HTTP/1.1 299 Odd\r\nContent-Length: 2\r\n\r\nok", 299, ""},
		{"status 999", "HTTP/1.1 999 Odd\r\nContent-Length: 2\r\n\r\nok", 999, ""},
		{"status 20", "HTTP/1.1 20 OK\r\nContent-Length: 2\r\n\r\nok", 0, exchange.FaultUnparseable},
		{"status 2000", "HTTP/1.1 2000 OK\r\nContent-Length: 2\r\n\r\nok", 0, exchange.FaultUnparseable},
		{"HTTP/1.0", "HTTP/1.0 200 OK\r\n\r\nuntil the end", 200, ""},
		{"HTTP/3.7", "HTTP/3.7 200 OK\r\nContent-Length: 2\r\n\r\nok", 200, ""},
		{"until close", "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nuntil the end", 200, ""},
		{"chunked", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", 200, ""},
		{"chunked with trailers", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X\r\n\r\n2;x=\"y\"\r\nok\r\n000\r\nX: y\r\nZ:z\r\n\r\n", 200, ""},
		{"chunked and length", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n2\r\nok\r\n0\r\n\r\n", 200, ""},
		{"100", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", 200, ""},
		{"102 and 103", "HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", 200, ""},
		{"204", "HTTP/1.1 204 No Content\r\n\r\n", 204, ""},
		{"204 with length", "HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n", 204, ""},
		{"304 with length", "HTTP/1.1 304 Not Modified\r\nContent-Length: 500\r\nETag: \"x\"\r\n\r\n", 304, ""},
		{"empty", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", 200, ""},
		{"case, order, duplicate", "HTTP/1.1 200 OK\r\nx-B: 1\r\nSET-cookie: a\r\nset-cookie: b\r\ncontent-length: 2\r\nA: 1\r\n\r\nok", 200, ""},
		{"folding", "HTTP/1.1 200 OK\r\nX: a\r\n b\r\nContent-Length: 2\r\n\r\nok", 200, ""},
		{"control and non-ASCII", "HTTP/1.1 200 OK\r\nX: \x00\x01\xff ü\r\nX Y: 1\r\nContent-Length: 2\r\n\r\nok", 200, ""},
		{"line without colon", "HTTP/1.1 200 OK\r\nwhat\r\nContent-Length: 2\r\n\r\nok", 200, ""},
		{"bare LF", "HTTP/1.1 200 OK\nContent-Length: 2\n\nok", 200, ""},
		{"bad length", "HTTP/1.1 200 OK\r\nContent-Length: two\r\n\r\nok", 200, ""},
		{"two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok!", 200, ""},
		{"bad chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\nok\r\n0\r\n\r\n", 200, ""},
		{"coded", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\n\x1f\x8bxx", 200, ""},
		{"large header", "HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 1<<20) + "\r\nContent-Length: 2\r\n\r\nok", 200, ""},
		{"large body", "HTTP/1.1 200 OK\r\nContent-Length: 3000000\r\n\r\n" + strings.Repeat("0123456789", 300000), 200, ""},
		{"more than was asked", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 408 Timeout\r\nContent-Length: 0\r\n\r\n", 200, ""},
		{"garbage", "SSH-2.0-OpenSSH_9.6\r\n", 0, exchange.FaultUnparseable},
		{"HTTP/0.9", "<html>hello</html>\n\nhello", 0, exchange.FaultUnparseable},
		{"nothing", "", 0, exchange.FaultEOF},
		{"cut in the first word", "HT", 0, exchange.FaultTruncated},
		{"cut in the head", "HTTP/1.1 200 OK\r\nContent-Le", 0, exchange.FaultTruncated},
		{"cut in the body", "HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\nok", 0, exchange.FaultTruncated},
		{"cut between chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n", 0, exchange.FaultTruncated},
		{"cut after 100", "HTTP/1.1 100 Continue\r\n\r\n", 0, exchange.FaultEOF},
	}
}
