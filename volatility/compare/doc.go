// Package compare is the structural difference of two answers. It is pure: bytes in, differences out.
//
// An [Answer] is a response (or the fault that stood in its place) read once and ready to be compared with many
// others. [Answer.Differences] lists what differs, each [Difference] at the [exchange.Place] where it stands;
// [Answer.Walk] and [Answer.Each] list what is there.
//
// JSON is compared as the tokens that were sent: numbers are exact, duplicate keys are kept, a member that is null is
// not one that is absent. The order of members never counts. Arrays are aligned: by the multiset of their elements, by
// a key that the data shows to be one, by equal elements, and only then by position, so that one new element at the
// front is one difference.
//
// A text that holds structure is compared as a whole, at its place, and by its parts besides: JSON within strings and
// line by line, JWT, base64 of JSON or text, XML, HTML, forms, multipart bodies, server-sent events, the length and
// type of what is no text, and of headers cookies with their attributes, media types, lists. Each is read as JSON whose
// places stand behind a marker: /body/token/@jwt/claims/exp, see [exchange.Place.Part]. What cannot be read as a whole
// has no parts.
//
// Bodies come from the network. What is nested deeper than [MaxDepth] is compared as text, a place longer than
// [MaxPlace] is not descended into, and after [MaxDifferences] the rest of a body is one difference; a text
// longer than [MaxText] has no parts, nor has one within [MaxNested] others; the work is
// linear in the size of the bodies, but for sorting.
package compare
