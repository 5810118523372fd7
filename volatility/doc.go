// Package volatility judges which places of an API's answers move, how, why, and how sure that is. It is pure: no
// files, no sockets, no clock of its own.
//
// [Judge] reads a recording step by step, each exchange beside what the runs answered, and returns a [Map]: for every
// [Operation] a [Field] per place. Memory grows with the number of operations and places, not with the number of
// exchanges.
//
// Evidence outranks pattern. What moved in the runs is volatile whatever it looks like; what never moved is volatile
// only where its value is explained by something that will (the clock at the time of the exchange, the environment, a
// nonce); and what merely looks like a date or a UUID is listed as a hint that disables nothing.
//
// A place below /header and /body is judged only on observations that have the recorded status: where the status
// moved, that is the finding.
package volatility
