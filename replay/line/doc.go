// Package line carries connections from one machine to another by messages that somebody passes on: what a client opens
// at one end is opened at the other, to an API that only that end reaches.
//
//	client ──TCP──▶ [Near] ══ Messages ══▶ [Far] ──TCP──▶ API
//
// Messages come in order or not at all: where one is missing the line is lost, and nothing is sent again, since nobody
// could tell what the API has seen by then. Whoever uses the line does what it did from the start.
//
// Each message is a kind, the number of a connection, and what the kind has to say. An end takes window bytes of a
// connection at most that the connection behind it has not taken yet; so one that is slow holds up no other. Each end
// says every moment that it is there; one that has not been heard for a while is gone. Whoever has to know sooner asks
// ([Near.Settle]).
//
// The package knows neither what passes the messages nor what seals them.
package line
