// Package superagent is the library by which EvoMaster's suites of Jest send their requests: what it makes of
// answers, and the set-ups that are written by it.
package superagent
