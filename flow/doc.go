// Package flow finds how data and order run through a recording: which response gave a value that a later request
// used ([Bindings]), which exchanges belong together ([Sequences]), which operation a request is ([Operations]), and
// which exchange of one run answers to which of another ([Align]). A [Carrier] puts what was found to use: it gives
// the requests of a replay the values that this replay's own responses gave.
//
// Everything here is pure: values in, values out.
//
// # Places
//
// A [exchange.Ref] of a binding names a part of a message. In a response:
//
//	/body/user/id                  a member of a JSON body; /body where the whole body is the value, JSON or text
//	/header/etag                   a header's value
//	/header/set-cookie/sid         the value of the cookie sid
//	/header/location/path/1        a path segment of the URL in a header (Location, Content-Location, Link), unescaped
//	/header/location/query/code    a query value of it
//
// In a request:
//
//	/path/1                        a path segment, unescaped: /orders/7 has the segments 0 "orders" and 1 "7"
//	/query/q                       a query value; the second of that name is /query/q/1, the third /query/q/2
//	/header/x-api-key              a header's value
//	/cookie/sid                    the value of one cookie
//	/body/order/id                 a member of a JSON body
//	/body/name                     a value of a form body; the second of that name is /body/name/1
//
// A use may be a part of the text at its place: the token in "Bearer x", an id within a longer path segment.
package flow
