// Package proxy stands between a client and an API, passes every byte on as it is, and hands on what it saw as
// exchanges.
//
// # The model
//
// A [Proxy] listens. Each connection that a client makes is a session. A session finds out from the first bytes what
// the client takes it for: the API itself, a proxy (absolute-form requests, RFC 9112 §3.2.2), or a way to a TLS server
// (CONNECT, or SOCKS 5). Whichever it is, what follows are links: a link is the client's connection and one connection
// to a target, joined. It copies bytes both ways as they are; nothing is parsed in order to be written out again.
//
// A ledger looks at the bytes on their way. It finds where messages end, puts each answer beside the request it
// answers, and gives the pair to the [Recorder]. It does so before the bytes go on. This order is what makes a
// recording causal: an exchange is recorded before the client can see its end, so whatever the client does in
// consequence is recorded after it, whichever connection it takes. It also means that a Recorder which returns only
// once an exchange is on disk loses nothing that a client has seen, and that a slow one slows the client down instead
// of filling the memory.
//
//	client ── session ── link ──────────── target
//	                      │ bytes, both ways
//	                    ledger ── Exchange ──> Recorder
//
// # What becomes of connections
//
// A client's connection and a target's live and die together. End of stream is passed on as such, a reset as a reset,
// in both directions, and an answer that breaks off breaks off. A target that cannot be reached is a reset to the
// client, never a status. What failed is in the record as a Fault. Only as a forward proxy, where the client knows
// that it talks to one, does flaketap answer for itself: 502 with the header Flaketap-Fault.
//
// # Where connections go
//
// To [Proxy.Target], to the authority of an absolute-form request-target, or to that of a CONNECT or SOCKS request.
// Never to what a Host header says: clients are fuzzers, and mutate it. Nor to the proxy itself.
//
// What follows on a client's connection without naming a host goes where the request before it went.
//
// A connection that the kernel redirected to the proxy ([Proxy.Redirected]) goes on to where it was going, and nothing
// that is said on it changes that. The proxy connects before either side has spoken, and joins the two as soon as one
// of them has: with TLS taken off where the client begins with it, unrecorded where it is not HTTP that begins.
//
// goproxy answers CONNECT: it decides between interception, a blind tunnel (where there is no authority to mint
// certificates) and refusal. The inside of an intercepted tunnel is a link like any other. SOCKS leads to the same
// three. A tunnel in which the target speaks first is no HTTP, and passes unrecorded; so does one by SOCKS in which the
// client begins in binary, because a program that uses SOCKS sends everything that way.
//
// # HTTP/2
//
// Its frames pass as they are, and the ledger reads them on their way: each stream is an exchange. As header
// compression and flow control are between the two ends of a connection, they stay between client and target. Within
// intercepted TLS the target picks the protocol among those that the client offers, before the client is answered.
// Without TLS a client that begins with the preface of HTTP/2, or asks for h2c by Upgrade, speaks to the target; where
// there is none, it is sent away with GOAWAY, since the host that its first request names is one that a fuzzer may make
// up. The fields are recorded as lines, see internal/wire; DATA is the body, without padding. What the target pushes
// unasked passes unrecorded, and a connection that breaks the rules of framing or compression is recorded raw from
// there on. RewriteHost does not reach into HTTP/2.
//
// # Rewriting
//
// A [Rewriter] may put another message in the place of one that passes. With one, and only then, the messages of HTTP/1
// are held until they are whole, up to 16 MiB: the target hears of a request when the client has sent all of it, the
// client of an answer when the target has. An answer that comes before the whole request, and a client that gives up
// within an answer, are therefore felt later. A client that waits for 100 Continue is told so by the proxy. What cannot
// be had whole passes as it comes.
//
// # Streams
//
// Parts of a stream pass as they come. The record of server-sent events, lines of JSON and gRPC says when each did
// ([exchange.Message].Marks). After a change of protocol (101, CONNECT) what passes in each direction is recorded as
// the Tunnel of request and answer, up to 4 MiB each, and given out when the connection ends;
// [exchange.Exchange.Frames] reads the frames of a WebSocket from it.
package proxy
