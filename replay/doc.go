// Package replay sends the requests of a recording again and reports what each was answered.
//
// # One run
//
// A [Player] plays one run:
//
//  1. Start the API (package service) or reset it, so that it begins where the recording did.
//  2. Go through the recording in order. With several workers the sequences are played beside each other (schedule.go):
//     within each the order stays, and no request goes out before the response that it carries a value of is there.
//  3. Give each request the values that this run's own responses gave (flow.Carrier): what was recorded names things of
//     another run.
//  4. Send it over a raw connection, byte for byte as it was recorded (plan.go, link.go): net/http would mend what a
//     fuzzer sent. What an experiment changes is put around this step ([Around]); so is what makes requests wait.
//  5. Ask a read that follows a write again for a while, where it does not answer as recorded (settle.go): an API that
//     is not done yet is told from one that differs.
//  6. Learn the values of the answer, and hand it to a [Sink] as an exchange.Observation.
//
// The [Summary] says how far the run went as recorded.
//
// # Invariants
//
// What changes in a request is little: bound values with the length of the body that holds them, credentials that the
// recording does not hold, and the Host where the run goes to another place. HTTP/2 is sent as HTTP/2, its fields in
// the recorded order. Requests share connections as they did when they were recorded. What fails below HTTP is an
// exchange.Fault, never a status. A request that may change something is sent once, unless what is put around it says
// more.
//
// # What it refuses
//
// To send what was not stored in full, what went to other hosts than the recorded target if there is a Target, and to
// go on when the API has gone.
//
// Sub-packages: service starts and resets APIs; search finds by trials what decides how an API answers; runs stores
// what is observed; experiment plans the runs of a replay and their conditions.
package replay
