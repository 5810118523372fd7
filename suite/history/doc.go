// Package history tells what stood at one place of the answers to an operation, execution by execution: what an
// assertion saw is a part of that, and whether its value is one of those that change is told by all of it.
package history
