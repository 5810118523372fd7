// Package serve holds an API still for one run of a client: it puts package suite/steady into the proxy of a session
// (package capture), and says in the end what was held still and what passed unchanged.
//
// # The way of a run
//
//  1. The recording is judged already, by its runs or by a map ([Options.Judged]).
//  2. The recorded pass that the client repeats is found by its label. It says where the client found the recorder and
//     the API, where the user does not: a client may have both written in.
//  3. The pass is read once, to learn which request is which; single exchanges are read again as they are needed.
//     With [Options.Hold], what its reads answer when the API is ready is learned from it and its runs (package
//     waits/settle), and a holder keeps such answers back before package steady sees them.
//  4. The API is started or reset, the client runs, and the session ends with it.
//  5. The [Summary] is told. Reads that were held are tied to tests by the times of what the client's test runner left
//     ([Options.Results]). With a raw log, each value that passed unchanged is a line of JSON there, as it passes.
//
// What steady decides is pure, and tested there; what is here moves bytes, and shows no secret in what it says.
package serve
