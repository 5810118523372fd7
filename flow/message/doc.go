// Package message knows where values stand in requests and responses, and how they are put back: it lists the values of
// a request ([Sites]) and of a response ([BodyParts], [HeaderParts]) with their places, reads the text at a place
// ([Value], [TextsAt]), and returns requests with other texts at some places ([Filled], [Rewrite], [Substitute],
// [WithHeader]). What the values mean, and which of them belong together, is for package flow to say.
//
// Everything here is pure: values in, values out.
//
// # How a value is put back
//
//  1. Find the values of the request: its target, its header, its body by its media type. Each knows the bytes that it
//     stands at, and how it is written there ([Form]), since the new value has to be written in the same way.
//  2. Go into the texts that hold values themselves ([Nested]), but only where a place to be filled is below: a cookie
//     of 8 KiB is looked into for nothing otherwise.
//  3. Make all replacements in one text at once ([SwapAll]), so that none finds what another has put there.
//  4. Write the new text as the old one was written: the same letters escaped, the same kind of base64, the same
//     quotes.
//  5. Mend the framing: Content-Length, or one chunk with the trailers that were there.
//
// # Invariants
//
// A request into which the values are put that it has already stays as it is, byte for byte. All bytes outside of what
// is filled stay as they were. Work is linear in the message, whatever is in it.
//
// # What it refuses
//
// A malformed request has no values, nor has one with the method CONNECT. A body with a content coding is not packed
// anew. A JSON Web Token is not looked into, since its claims are signed. A value with control characters, or of more
// than 8 KiB, is not put into any message ([Sendable]): a hostile answer could smuggle in a header with it.
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
//	/body/name                     a value of a form body, or a field of a multipart one; /body/name/1 is the second
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
package message
