package experiment

import (
	"errors"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/message"
	"github.com/flaketap/flaketap/replay"
)

// language asks for answers in another language; without a value, in one that the recording did not ask for.
func language() Experiment {
	return Experiment{Name: "language", Value: "TAG", Help: "another Accept-Language in every request", Default: true,
		make: func(value string, s situation) (Condition, error) {
			if value == "" {
				for _, value = range []string{"de", "fr", "ja", "es", "ar"} {
					if !s.load.languages[value] {
						break
					}
				}
			}
			if strings.ContainsFunc(value, func(r rune) bool { return r <= ' ' || r > '~' }) || len(value) > 100 {
				return Condition{}, errors.New("a language tag such as de or pt-BR")
			}
			return Condition{Name: "language=" + value, arrange: func(p *replay.Player) {
				putAround(p, replay.Altering(func(r exchange.Request) exchange.Request {
					return message.WithHeader(r, "Accept-Language", value)
				}))
			}}, nil
		}}
}
