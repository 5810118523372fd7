// Package playwright is how a suite of Playwright speaks with flaketap.
//
// Playwright speaks to its browser by a pipe, so nothing can stand between the two. What Node loads first (preload.cjs)
// wraps the one method by which all of a suite's commands leave it instead: for each, it holds a conversation with
// flaketap, lines of JSON over a connection of its own.
//
//	suite                                   flaketap
//	{"command": …}                      →
//	                                    ←   {}             once it may go on
//	{"answer": {"value": "\"\""}}       →
//	                                    ←   {"again": true}
//	{"answer": {"value": "\"23\""}}     →
//	                                    ←   {"give": 1}    the suite is given the second answer
//
// Besides, it tells of browsers that start, with the address at which they listen to flaketap for the Chrome DevTools
// Protocol, of pages that open, and of browsers that end. A [Tap] decides what is answered. A suite whose flaketap is
// gone goes on without it.
package playwright
