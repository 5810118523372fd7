// Package suite patches the tests that others wrote, so that they hold and still say what they can.
//
// The steps, in the order in which they are taken:
//
//  1. [Read] reads a file to its meaning, a [script.Script]: tests, the calls that they send, what they extract from
//     answers and assert of them. Which dialect a file is of its name tells; the dialects are one list (dialects).
//  2. [Bind] puts a recording beside the script: which exchange each call sent. In a recording of the suite itself the
//     order of the calls tells (an alignment of the greatest worth); any other recording is searched for each test by
//     itself. What an execution shows is evaluated by [expr.Scope], one for each test and run.
//  3. [BoundScript.Verdicts] say what the executions show of each assertion, [BoundScript.Dependencies] which tests
//     failed for what was there before them, so that a set-up can be looked for, or for a name that was taken, which
//     is drawn anew then (freshen.go).
//  4. [BoundScript.Patch] puts right what keeps a test from running, writes the set-ups that were found, and weakens
//     each assertion that an execution contradicts, or that lies on a place which moves, to the strongest statement
//     that is true of all: first the conditions under which there is nothing to look at, then what candidates can be
//     made of the values that were seen and of what the map learned (suite/expr), of which the first that holds, and
//     that the dialect can write, is taken. What moves is held to the other values of its answer first (related.go); a
//     moment long past stays, though others of its place move (past.go). An assertion of which nothing is left is
//     commented out.
//  5. Where it is asked for ([PatchOptions].Strengthen), assertions are added that the suite lacks and all answers to a
//     call bear: what does not move and follows no state, or what the map learned of what moves.
//
// What stays true: bytes that no change is about are kept, line ends and byte-order mark included; each change bears a
// comment; no assertion is made stronger, those that are added stand beside them; patching what was patched changes
// nothing; secrets appear as tokens. An assertion that is not understood, or that no execution came to, is left as it
// is.
//
// The package writes no files and starts nothing: it is given the steps of a recording and returns bytes. It imports
// suite/script, suite/expr and the dialects; flow tells it what a set-up is, volatility/mapfile what is known of
// places.
package suite
