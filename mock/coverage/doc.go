// Package coverage asks what code of an API has run: a command, a socket, or JaCoCo's agent tells it, as items of which
// nobody here knows what they mean. They may be those since the API started, or since they were asked for last.
package coverage
