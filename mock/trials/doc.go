// Package trials runs the trials of a search of mocks on several instances of an API at once: on so many that are
// started here ([Here]), or on those of the workers of a hub ([Hub]).
//
// # The way of a trial
//
//	search ── Trial, and what is likely to come ──▶ [Ahead] ──▶ an instance of the API
//	search ◀───────── Outcome, in its order ─────── [Ahead] ◀── what came of it
//
// A search decides by each outcome what it tries next, one trial after the other; so it foresees what it is going to
// try where nothing new comes of a trial, as is the case with most ([search.Trial.Likely]). [Ahead] runs what is
// foreseen meanwhile, and keeps what comes of it until the search gets there: it asks, decides and counts as it does
// with one API, and finds the same. What it does not get to was run in vain, and is thrown away.
//
// At a hub a trial is an item of a plan (package queue): stubs and a request, which are data; back comes what the API
// answered, asked and logged, what hooks told, and the record. They are sealed. The worker starts the API by its
// own --start, leads it by its own --external, and runs no command that came to it. A trial whose worker is killed is
// run anew by another: a trial begins from a known start, whoever runs it.
package trials
