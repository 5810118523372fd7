// Package flow finds how data and order run through a recording: which response gave a value that a later request
// used ([Bindings]), which exchanges belong together ([Sequences]), which operation a request is ([Operations]), and
// which exchange of one run answers to which of another ([Align]). A [Carrier] puts what was found to use: it gives
// the requests of a replay the values that this replay's own responses gave. [Prove] says what runs tell of a binding.
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
// What is left open after that is not bound, and [Binder.Refusals] says so: an id that two collections may have given is
// ambiguous; a small number that was only listed is over-broad, since the client may count by itself; what the client
// sent before any response gave it is a literal of its own.
//
// # Places
//
// A [exchange.Ref] of a binding names a part of a message. In a response:
//
//	/body/user/id                  a member of a JSON body; /body where the whole body is the value, JSON or text
//	/body/order/id                 an element of an XML body, from the outermost on; /body/order/@id an attribute of it
//	/body/input/_csrf              a hidden field of a form in a page; /body/meta/csrf-token a meta element
//	/body/form/path/1              a part of the URL that a form goes to; /body/a/… of a link
//	/body/next/query/after         a part of a URL that a member holds
//	/header/etag                   a header's value
//	/header/set-cookie/sid         the value of the cookie sid; /header/set-cookie/sid/unescaped without percent-encoding
//	/header/location               the URL in a header (Location, Content-Location)
//	/header/location/path/1        a path segment of it, unescaped
//	/header/location/query/code    a query value of it
//	/header/link/query/cursor      the same of the first URL in Link; the second is /header/link/1/…
//
// In a request:
//
//	/path/1                        a path segment, unescaped: /orders/7 has the segments 0 "orders" and 1 "7"
//	/query/q                       a query value; the second of that name is /query/q/1, the third /query/q/2
//	/header/x-api-key              a header's value
//	/cookie/sid                    the value of one cookie
//	/body/order/id                 a member of a JSON body
//	/body/name                     a value of a form body, or a field of a multipart one; the second of that name is /body/name/1
//	/body/meta/orderId             a member of the JSON that a part of a multipart body holds
//	/body/order/id, /body/order/@id  an element or attribute of an XML body
//
// A text may hold values itself. Their places are below its own, as deep as need be:
//
//	/header/authorization/basic/user   the user, or password, of Basic credentials
//	/query/filter/orderId              what a name leads to: orderId:7, orderId=7, orderId eq 7, Orders(7)
//	/path/1/order, /path/1/stem        7 in order-7, and in 7.json
//	/query/where/order/id              a member of JSON in a text
//	/query/cursor/base64/…             what base64 holds: JSON, or pieces as above
//	/body/next/path/1, /body/next/query/n   the parts of a URL
//	/cookie/prefs/unescaped/…          what is percent-encoded once more than its place asks for
//
// A use may also be a part of the text at its place: the token in "Bearer x", an id within a longer path segment.
package flow
