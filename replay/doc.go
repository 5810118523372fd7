// Package replay sends the requests of a recording again and reports what each was answered.
//
// A [Player] plays one run: it resets the API, goes through the recording in order, gives each request the values that
// this run's own responses gave (flow.Carrier), sends it over a raw connection byte for byte as it was recorded, and
// hands each answer to a [Sink] as an exchange.Observation. The [Summary] says how far the run went as recorded.
//
// What changes in a request is little: bound values with the length of the body that holds them, and the Host where
// the run goes to another place than the recording did. HTTP/2 is sent as HTTP/2, its fields in the recorded order.
// Requests share connections as they did when they were recorded. What fails below HTTP is an exchange.Fault, never a
// status.
//
// With several workers the sequences of a recording are played beside each other (schedule.go); within each the order
// stays, and no request goes out before the response that it carries a value of is there.
package replay
