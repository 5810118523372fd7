package findings

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// idDigits is how many hex digits an id has: among a million places, two have the same with a chance of 1 in 500.
const idDigits = 12

// id returns a name that may stand in a link, made of what identifies a thing.
func id(kind string, parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return kind + hex.EncodeToString(sum[:])[:idDigits]
}

// OperationID returns the id of an operation with its recorded status.
func OperationID(op *mapfile.Operation) string {
	return id("o", op.Host, op.Method, nameless(op.Template), strconv.Itoa(op.Status))
}

// PlaceID returns the id of a place of an operation: what a link to it ends in, and its fingerprint in SARIF.
func PlaceID(op *mapfile.Operation, place exchange.Place) string {
	return id("p", op.Host, op.Method, nameless(op.Template), strconv.Itoa(op.Status), string(place))
}

// nameless returns a template without the names of its parameters, which another recording may call otherwise.
func nameless(template string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(template, "{")
		b.WriteString(before)
		name, after, closed := strings.Cut(rest, "}")
		if !found || !closed || strings.ContainsAny(name, "{/") {
			return b.String() + template[len(before):]
		}
		b.WriteString("{}")
		template = after
	}
}

// ID returns the id of an assertion: where it stands may change, so it is made of what it says.
func (c Claim) ID() string { return id("c", c.File, c.Statement, string(c.Place)) }
