// Package request lists the values of a request that an answer could repeat, each with the places that hold it:
// segments of the path, pairs of the query, headers that are the client's own, members of a body of JSON or of a form.
// Whether an answer does repeat one, and always the same, is for the judgement.
//
// [Earlier] knows the values that earlier answers gave, as recorded and as each run has them: of a value that changed
// it tells which of them it is. [MadeUp] is for runs of the client itself: it knows of the values that such a run has
// others for whether the client or the API said them first.
//
// What is looked at is bounded: 200 values of one request, of 512 bytes each, in bodies of a MiB at most. Of a value
// that lies beyond that it is not said that it is repeated.
package request
