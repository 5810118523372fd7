// Package queue has the runs of a replay played by workers on any machines, each of which runs an instance of the API
// of its own.
//
// # The data flow
//
//	replay                    board (a hub, or memory)              workers
//	Begin ───────────────────▶ job of the plan                ─────▶ (read once)
//	Keep ────────────────────▶ items, by number               ─────▶ (read for each ticket)
//	Offer ───────────────────▶ tickets: plan, run, item       ─────▶ Lease … play … Done
//	Results ◀───────────────── results: plan, run, item       ◀───── (one message for a whole item)
//	End ─────────────────────▶ all of the plan is removed
//
// An [Item] is exchanges that have to be played in order, from a known start of the API: a worker resets or restarts
// its API before each. So what an item answers depends neither on the worker that plays it nor on what that played
// before. A [Ticket] is one item in one run.
//
// A judgement is shared in the same way: its job and its items are what whoever judges has put there, a ticket is one
// of its parts, and a worker with a [Judge] needs no API.
//
// # What is promised
//
//   - A ticket is leased by one worker at a time; a worker that works extends its lease. Where one dies, or cannot be
//     heard any more, the ticket is leased again.
//   - An item counts as a whole or not at all: its observations come in one [Result]. Of several for one ticket, the
//     board keeps the first, so that nothing is counted twice, however often it was played.
//   - A ticket that was leased [MostAttempts] times without a result gets one that says why: whoever leases it next
//     says that the others died, or what came of the last attempt.
//   - What a worker cannot do at all (its API does not start, it has another key) ends the worker, and is no attempt of
//     the ticket's that fails: the worker finds out before it leases anything, as far as it can.
//
// # Secrets
//
// Requests travel as they are to be sent, secrets and all, and answers as they came. So jobs, items and results are
// sealed ([Key]): with AES-GCM, under a key that is made of the file that the replay and its workers share, and bound
// to their names. A board sees names, numbers and sizes.
//
// The package knows no NATS: [Board] is what it asks of one.
package queue
