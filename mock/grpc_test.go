package mock

import (
	"crypto/tls"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	googlegrpc "google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/mock/grpc"
)

// echoProto has messages that are those of well-known types, so that a client needs no code of its own.
const echoProto = `syntax = "proto3";
package echo.v1;
import "google/protobuf/empty.proto";
import "google/protobuf/wrappers.proto";
service Echo {
  rpc Say(google.protobuf.StringValue) returns (google.protobuf.StringValue);
  rpc Nothing(google.protobuf.Empty) returns (google.protobuf.Empty);
  rpc Watch(google.protobuf.StringValue) returns (stream google.protobuf.StringValue);
  rpc Upload(stream google.protobuf.StringValue) returns (google.protobuf.StringValue);
}
`

// calls answers calls of echo.example.com:443 by mappings, and makes them by the real client of gRPC.
type calls struct {
	t        *testing.T
	server   *Server
	secure   *googlegrpc.ClientConn
	plain    *googlegrpc.ClientConn
	recorded chan *exchange.External
}

func serveCalls(t *testing.T, s *Server, mappings string) *calls {
	t.Helper()
	file := filepath.Join(t.TempDir(), "echo.proto")
	if err := os.WriteFile(file, []byte(echoProto), 0o600); err != nil {
		t.Fatal(err)
	}
	described, err := grpc.ReadFile(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	c := &calls{t: t, server: s, recorded: make(chan *exchange.External, 100)}
	s.Journal, s.GRPC = &Journal{}, grpc.Services{"echo.example.com": described}
	s.Recorder = &Recorder{Record: func(x *exchange.External) { c.recorded <- x }, MaxBody: 1 << 20}
	at, roots := listen(t, c.server, "echo.example.com", mappings)
	trust := credentials.NewTLS(&tls.Config{RootCAs: roots, ServerName: "echo.example.com"})
	for to, with := range map[**googlegrpc.ClientConn]credentials.TransportCredentials{
		&c.secure: trust, &c.plain: insecure.NewCredentials()} {
		conn, err := googlegrpc.NewClient("passthrough:///"+at, googlegrpc.WithTransportCredentials(with))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		*to = conn
	}
	return c
}

// say calls a method with a text, and tells what came of it.
func (c *calls) say(conn *googlegrpc.ClientConn, method, text string, with ...googlegrpc.CallOption) string {
	c.t.Helper()
	var answer wrapperspb.StringValue
	err := conn.Invoke(c.t.Context(), method, wrapperspb.String(text), &answer, with...)
	if err != nil {
		s := status.Convert(err)
		return s.Code().String() + " " + s.Message()
	}
	return answer.GetValue()
}

// The client of gRPC gets what stubs say, by TLS and without: messages, statuses with what they say, its own fields; and
// of what no stub can answer, why.
func TestGRPC(t *testing.T) {
	c := serveCalls(t, &Server{}, `{"mappings": [
  {"name": "any", "request": {"urlPath": "/echo.v1.Echo/Say"}, "response": {"jsonBody": "hello ü"}, "priority": 9},
  {"name": "packed", "request": {"urlPath": "/echo.v1.Echo/Say", "bodyPatterns": [{"equalToJson": "\"packed\""}]}, "response": {"jsonBody": "unpacked"}},
  {"name": "named", "request": {"urlPath": "/echo.v1.Echo/Say", "bodyPatterns": [{"contains": "named"}]},
   "response": {"status": 200, "headers": {"grpc-status-name": "FAILED_PRECONDITION", "grpc-status-reason": "100 % ü", "X-Retry": "no"}}},
  {"name": "by status", "request": {"urlPath": "/echo.v1.Echo/Say", "bodyPatterns": [{"contains": "missing"}]}, "response": {"status": 404}},
  {"name": "text", "request": {"urlPath": "/echo.v1.Echo/Say", "bodyPatterns": [{"contains": "away"}]},
   "response": {"status": 503, "headers": {"Content-Type": "text/plain"}, "body": "come again"}},
  {"name": "wrong", "request": {"urlPath": "/echo.v1.Echo/Say", "bodyPatterns": [{"contains": "wrong"}]}, "response": {"jsonBody": {"a": 1}}},
  {"name": "unheard of", "request": {"urlPath": "/echo.v1.Echo/Say", "bodyPatterns": [{"contains": "unheard"}]}, "response": {"headers": {"grpc-status-name": "BROKEN"}}},
  {"name": "reset", "request": {"urlPath": "/echo.v1.Echo/Say", "bodyPatterns": [{"contains": "reset"}]}, "response": {"fault": "CONNECTION_RESET_BY_PEER"}}
]}`)
	const say = "/echo.v1.Echo/Say"
	var trailer metadata.MD
	for _, tc := range []struct {
		method, text, want string
		recorded           string // the stub, the status, its name, and the bodies
		with               []googlegrpc.CallOption
	}{
		{say, "x", "hello ü", `any 200 OK "x" "hello ü"`, nil},
		{say, "packed", "unpacked", `packed 200 OK "packed" "unpacked"`, []googlegrpc.CallOption{googlegrpc.UseCompressor(gzip.Name)}},
		{say, "named", "FailedPrecondition 100 % ü", `named 400 FAILED_PRECONDITION "named" `, []googlegrpc.CallOption{googlegrpc.Header(&trailer)}},
		{say, "missing", "NotFound ", `by status 404 NOT_FOUND "missing" `, nil},
		{say, "away", "Unavailable come again", `text 503 UNAVAILABLE "away" come again`, nil},
		{say, "wrong", "Internal the mock cannot answer: it is no google.protobuf.StringValue: …", `wrong 500 INTERNAL "wrong" `, nil},
		{say, "unheard", `Internal the mock cannot answer: unknown grpc-status-name "BROKEN": want one such as NOT_FOUND`, `unheard of 500 INTERNAL "unheard" `, nil},
		{say, "reset", "Internal …", `reset reset "reset"`, nil},
		{"/echo.v1.Echo/None", "x", "Unimplemented no stub for POST …: the description of this service has no such method", " 404 UNIMPLEMENTED  …", nil},
		{"/echo.v1.Echo/Nothing", "", "Unimplemented no stub for POST …/echo.v1.Echo/Nothing", " 404 UNIMPLEMENTED {} …", nil},
		{"/echo.v1.Echo/Upload", "x", "Unimplemented no stub for POST …: the method is a stream, and only calls with one message and one answer are mocked",
			" 404 UNIMPLEMENTED  …", nil},
	} {
		for _, conn := range []*googlegrpc.ClientConn{c.secure, c.plain} {
			if got := c.say(conn, tc.method, tc.text, tc.with...); !like(tc.want, got) {
				t.Errorf("%s %s: got %q, want %q", tc.method, tc.text, got, tc.want)
			}
			if got := told(<-c.recorded); !like(tc.recorded, got) {
				t.Errorf("%s %s: recorded is %q, want %q", tc.method, tc.text, got, tc.recorded)
			}
		}
	}
	if got := trailer.Get("x-retry"); !slices.Equal(got, []string{"no"}) {
		t.Errorf("a field of the stub is %q", got)
	}
	listed, _ := c.server.Calls.List()
	for _, call := range listed {
		if call.Stub == "wrong" && !strings.HasPrefix(call.Why, "it is no google.protobuf.StringValue") {
			t.Errorf("why a stub did not answer is not told: %+v", call)
		}
	}
	if asked := c.server.Journal.List()[0]; string(asked.Body) != `"x"` || asked.Times != 2 {
		t.Errorf("the journal has %+v", asked)
	}
}

// told is a call as it is recorded: its messages are JSON.
func told(x *exchange.External) string {
	if x.Fault != nil {
		return fmt.Sprintf("%s %s %s", x.Stub, x.Fault.Kind, x.Request.Body)
	}
	return fmt.Sprintf("%s %d %s %s %s", x.Stub, x.Response.Status, x.Response.Header.Get(grpc.StatusName), x.Request.Body, x.Response.Body)
}

// like compares texts, in the first of which … is any.
func like(want, got string) bool {
	before, after, any := strings.Cut(want, "…")
	return want == got || any && strings.HasPrefix(got, before) && strings.HasSuffix(got, after)
}

// A stream that waits for an answer before it ends is refused at once, and so is one whose service has no description.
func TestGRPCStreams(t *testing.T) {
	c := serveCalls(t, &Server{}, `{"mappings": []}`)
	for method, want := range map[string]string{
		"/echo.v1.Echo/Upload": "the method is a stream", "/echo.v1.Echo/Watch": "the method is a stream", "/other.Other/Talk": "no such method"} {
		stream, err := c.secure.NewStream(t.Context(), &googlegrpc.StreamDesc{ServerStreams: true, ClientStreams: true}, method)
		if err != nil {
			t.Fatal(err)
		}
		err = stream.RecvMsg(&emptypb.Empty{}) // nothing is sent
		if got := status.Convert(err).Code().String() + " " + status.Convert(err).Message(); !strings.HasPrefix(got, "Unimplemented ") || !strings.Contains(got, want) {
			t.Errorf("%s: %s", method, got)
		}
	}
	c.server.GRPC = nil
	if got := c.say(c.secure, "/echo.v1.Echo/Say", "x"); !strings.HasSuffix(got, "--spec echo.example.com=FILE names no description of that service") {
		t.Errorf("without a description: %s", got)
	}
}
