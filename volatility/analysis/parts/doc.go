// Package parts has recordings judged in parts, by workers on any machines: a [Lead] divides and merges, [Judge] is
// what a worker does.
//
// # The data flow
//
//	map                        board (a hub)                    workers
//	Case ────────────────────▶ job of the plan              ─────▶ (read once)
//	Divider ─── pieces ──────▶ blocks, by number            ─────▶ (read one after the other)
//	                           the list of each part's      ─────▶ Lease …
//	Offer ───────────────────▶ tickets: plan, part          ─────▶ JudgePart
//	Divider.Map ◀───────────── what was found, by part      ◀───── … Done
//
// A part is operations, see [volatility.Divider]. Its steps are written to blocks as they pass, in the records of the
// store, with what came about meanwhile in other operations before each. Nobody holds more than a block of each part,
// and what is counted of places. What was found about operations, and is not a map yet, comes back.
//
// # What is promised
//
// The map is the one that is judged in one process, byte for byte: so a worker of another build of the program is
// refused. What package queue promises of items holds for parts: one that a worker does not bring to its end is judged
// again from its beginning, and counts once. Tickets are offered when all blocks are on the board; so what a map leaves
// behind that was killed can be judged to its end, or removed.
//
// What the board has is sealed. It holds the messages of the recording, secrets and all.
package parts
