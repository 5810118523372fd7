// Package redact writes tokens in the place of the secrets of whole messages: as they are shown, and as they are stored
// where none may come to rest. What is a secret, and what its token is, package exchange says ([exchange.Secret],
// [exchange.Redactor]); this one knows where secrets stand in targets, heads, bodies and streams, and how to leave the
// rest as it is.
//
// There are two ways in. [Target], [Header] and [Body] redact what is about to be shown, one piece at a time. A [Rest]
// redacts whole exchanges before they are stored, and learns on the way: a secret that one exchange names is taken out
// of all that come after it, under whatever name it stands there.
//
// # A message, in order
//
//  1. The secrets that the message names are collected, before any of it is written anew: an answer echoes what its
//     request sent, in places that bear no telling name.
//  2. The head is redacted field by field: fields that are named as secrets as a whole, of the others the queries of
//     URLs, cookies, and known secrets.
//  3. The body is taken out of its framing and its codings, or no secret within could be found.
//  4. What it holds is redacted by its kind: JSON, form, multipart, and for all others known secrets in the text.
//  5. Framing and coding are mended: Content-Length, or one chunk in the place of several. What was packed is kept
//     unpacked and says so (exchange.Message.Plain), since packing it again would not give the same bytes.
//
// A message that holds no secret comes back byte for byte.
//
// # What it refuses
//
// Nothing: what cannot be read as what it says it is, is redacted as text. A body that breaks off within a token keeps
// nothing of that token.
package redact
