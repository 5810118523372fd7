// Package suggest answers flaketap waits suggest: it reads a suite, its history and its results, asks [waits] for
// times, and writes what it found for people and as JSON.
package suggest
