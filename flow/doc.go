// Package flow finds how data and order run through a recording: which response gave a value that a later request used
// ([Bindings]), which exchanges belong together ([Sequences]), and which operation a request is ([Operations]). A
// [Carrier] puts what was found to use: it gives the requests of a replay the values that this replay's own responses
// gave. [Prove] says what runs tell of a binding, and [Lapses] which credentials runs were refused with, since these
// had expired or were revoked: a [Renewal] sends others in their place.
//
// Everything here is pure: values in, values out.
//
// # What is bound
//
// Two things can tie a use to a response. A value that is particular enough (a UUID, a token, a long number) ties by
// itself, unless a request held it before any response did: then it is the client's own. Anything else, small numbers
// and words above all, needs the structure of the resources: POST /orders gave the id 7, and 7 is the segment after
// /orders, or an orderId; a cookie comes back to its host under its name; a validator comes back to its path, a cursor
// to the path of its list; a token, a code of a login and a hidden field of a form come back under such a name. Of a
// signed URL every value is bound, so that it is followed as a whole.
//
// A bearer token is bound as a whole. What a JSON Web Token says of its owner is signed: an id in its claims is the
// business of who made the token, and nothing can be put in there.
//
// # Which producer
//
// Where several responses gave a value, they are ranked:
//
//  1. by the way that leads to them, in the order of the kinds of key in keys.go: as a member of the very collection
//     before by its kind, by its kind before by its name, by its name before by the value alone;
//  2. what made the value (the answer to a POST that did not hold it) before what mentions it;
//  3. of a value that ties by itself, what the client's own sequence was told before what another one was;
//  4. among those that made it the latest, since ids are used again; among those that mention a particular value the
//     first, since the others repeat it. A cookie, token, cursor or validator is that of the latest response;
//  5. where collections side by side count ids of one kind, the one whose path begins as the request's does;
//  6. within a response, a member named id before others, the outer before the inner, members before links, the body
//     before headers.
//
// What is left open after that is not bound, and [Binder.Refusals] says so: an id that two collections may have given
// is ambiguous; a small number that was only listed is over-broad, since the client may count by itself; what the
// client sent before any response gave it is a literal of its own.
//
// Places are those of package message. Which recorded request another one is, package match says, and package align of
// whole runs.
package flow
