package experiment

import (
	"errors"

	"github.com/flaketap/flaketap/replay"
)

// connection sends each request on a new connection.
func connection() Experiment {
	return Experiment{Name: "connection", Value: "fresh", Help: "each request on its own connection", Default: true,
		make: func(value string, _ situation) (Condition, error) {
			if value != "" && value != "fresh" {
				return Condition{}, errors.New("fresh")
			}
			return Condition{Name: "connection=fresh", arrange: func(p *replay.Player) { putAround(p, replay.Apart) }}, nil
		}}
}
