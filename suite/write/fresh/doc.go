// Package fresh gives the account that the tests of a plan share a name that is another in each run of a suite: an API
// that keeps what it has refuses to sign somebody up twice under one name.
package fresh
