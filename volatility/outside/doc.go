// Package outside tells what of an API's answers follows what external services answered the API.
//
// # How that is seen
//
// A [Book] has, for each exchange of the recording and its counterpart in each run, the values that services answered
// while it was under way, each under a name: service, path and place, as "rates.example.com/latest#/usd". A [Pair] is
// what became of them from the recording to a run. Over all pairs of an operation [Seen] counts how often each value
// was there and how often it was another one; for each place of the API's answers [Moves] counts in how many of these
// pairs the place moved, and the value with it.
//
// A place follows a value that it equals at each of its changes, or that moved exactly when the place did, in pairs of
// both kinds: what always moves says nothing of another thing that always moves.
//
// # What it refuses
//
// What several exchanges under way at once asked belongs to none of them. A value that the API had sent to the service
// itself is the API's own. Names of more values than [maxNames] are not told apart.
package outside
