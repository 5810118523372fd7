// Package marked says which requests of a page a sleep of a spec is for, from a recording of runs in which the spec
// marked where it was. It knows nothing of how specs are written.
//
// A spec cannot be stood beside while it runs, as those of Cypress run within the browser. So a copy of it sets marks,
// by which the recording knows, for each time that a sleep was come by:
//
//   - a rest, in which the spec does nothing: what a page asks by itself, from a timer or late from what was done
//     earlier, is asked in it as well;
//   - then what it does, up to the end of the sleep;
//   - and whether its test passed.
//
// [Recording.Of] takes a sleep to be for requests that began after the rest and were answered before the sleep was
// over, each once, in every such window of the tests that passed, if nothing at all was asked in the rests. A rest
// lasts
// between one and four times as long as the sleep, by chance: a request that comes at some time of its own, whatever is
// done, falls behind the rest of a window, and not into it, with a chance of a third at most; in five windows with one
// of 0.4 %.
package marked
