// Package across has what the steps of a recording tell of later ones, whatever operation these are of: the authorities
// that were asked for, the values that answers gave and the dates that requests and answers made known, when each run
// began and when it last made something. It is all that the judgement of one operation asks of others before its
// end, and small beside the answers.
//
// A [State] takes it in from the steps, one after the other. Where operations are judged apart, in parts, who sees all
// steps keeps the State, and a [Journal] of it says for each part what came about since the last step that was its own:
// a list of [Event] values. A part that takes these in has the state that it would have, had it seen all steps. What
// came about in the part's own steps is no news to it.
//
// What clients made up in runs of their own ([request.MadeUp]) is no part of it: to know that, all answers have to be
// compared.
package across
