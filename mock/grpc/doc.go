// Package grpc puts unary calls of gRPC in the form in which all other calls to services are matched, answered and
// recorded: messages as JSON, by the description of their service.
//
// # The form
//
// It is that of WireMock's extension for gRPC. A call is a POST to /PACKAGE.SERVICE/METHOD; its body, and that of a
// good answer, are the JSON of their messages, as protocol buffers map it
// (https://protobuf.dev/programming-guides/json). An answer names its status in the field [StatusName], and says why
// in [StatusReason]; where it names none, its HTTP status stands for one, as google.rpc.Code maps them. In a
// recording, the type of a body is [MediaType].
//
// # What is bounded
//
// A message is as large as gRPC's own limit lets it be, and as deep as [maxDepth]; how many messages and values it
// holds is counted before any is made (weigh.go). Of a descriptor, its size is bounded. Both come from outside, and
// what is wrong with them is an error.
package grpc
