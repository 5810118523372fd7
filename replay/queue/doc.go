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
// A ticket of a [Lender] has no item, and asks for the API itself: a trial runs where its suite is, and only its
// connections go to the worker.
//
//	trial (a suite)            board, then wire                     worker
//	Lend: Offer ─────────────▶ ticket: plan, trial            ─────▶ Lease
//	hears, and answers ◀────── wire: PLAN.call.TRIAL          ◀───── "there is an API", its session
//	listens at a port ◀──────▶ wire: SESSION, sealed, numbered ◀───▶ resets its API, and connects (package line)
//	Return ──────────────────▶ wire: it is over               ─────▶ Done
//
// What is said over a [Wire] is kept nowhere. Where something of it is missing the trial is lost ([service.ErrLost]),
// and done again from its start with another API: nothing is sent twice to one. No command and no file goes to a
// worker.
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
