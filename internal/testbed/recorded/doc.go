// Package recorded writes recordings for tests: exchanges, and what each run answered to them. Tests alone use it.
package recorded
