// Package exchange is the vocabulary that the whole of flaketap speaks.
//
// An [Exchange] is one request and what came back: exactly one of a [Response] and a [Fault]. A [Recording] is the
// exchanges of one client, in order, in one or more passes. A [Run] is one further execution of a recording; what one
// step of it answered is an [Observation]. A [Fingerprint] is the comparable identity of a request, an [Operation] the
// coarser one. A [Place] names a part of a response (or, in a [Binding], of a request). A [Claim] is one assertion of
// a suite, parsed to its meaning.
//
// The package holds values and the rules that give them identity; it does no I/O.
package exchange
