package experiment

import (
	"context"
	"errors"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/message"
	"github.com/flaketap/flaketap/replay"
)

// client has somebody else ask: clients that the API has not seen before, another program, another address.
func client() Experiment {
	kinds := map[string]func(situation) (Condition, error){
		"fresh": freshClients, "agent": otherAgent, "address": otherAddress,
	}
	return Experiment{Name: exchange.PerturbClient, Value: "WHO",
		Help: "somebody else asks: WHO is fresh (ten new clients), agent (another User-Agent) or address (127.0.0.2), else all",
		make: func(value string, s situation) (Condition, error) {
			if kind := kinds[value]; kind != nil {
				return kind(s)
			}
			return Condition{}, errors.New("fresh, agent or address")
		},
		several: withoutValue(func(s situation) ([]Condition, error) {
			var out []Condition
			for _, name := range []string{"fresh", "agent", "address"} {
				c, err := kinds[name](s)
				var here impossible
				if errors.As(err, &here) {
					continue
				}
				if err != nil {
					return nil, err
				}
				out = append(out, c)
			}
			return out, nil
		})}
}

// freshCount is how many clients ask.
const freshCount = 10

// freshClients asks for each operation as clients do that the API has not seen before: each on connections of its own
// and with no cookies but those that the API gave it.
func freshClients(s situation) (Condition, error) {
	asked, err := representatives(s)
	if err != nil {
		return Condition{}, err
	}
	return Condition{Name: exchange.FreshClients, kind: exchange.RunRepeat,
		besides: len(asked.steady) * freshCount * exchange.AsksOfClient,
		arrange: func(p *replay.Player) {
			p.Settle = 0
			putAround(p, func(next replay.Send) replay.Send {
				return func(ctx context.Context, s replay.Sending, take func(*exchange.Observation) error) error {
					if err := next(ctx, s, take); err != nil || !asked.steady[s.Exchange.Seq] {
						return err
					}
					for range freshCount {
						if err := (&jar{}).ask(ctx, s, next, take); err != nil {
							return err
						}
					}
					return nil
				}
			})
		}}, nil
}

// jar keeps the cookies of one client.
type jar struct{ cookies map[string]string }

// ask sends a request as the jar's client does.
func (j *jar) ask(ctx context.Context, s replay.Sending, next replay.Send,
	take func(*exchange.Observation) error) error {
	request := message.WithoutHeader(s.Request, "Cookie")
	s.Fresh = true
	for range exchange.AsksOfClient {
		s.Request = request
		if len(j.cookies) > 0 {
			s.Request = message.WithHeader(request, "Cookie", j.String())
		}
		err := next(ctx, s, func(o *exchange.Observation) error {
			j.learn(o.Response)
			return take(o)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// learn takes in the cookies of an answer; those of other paths and hosts it takes for the same.
func (j *jar) learn(r *exchange.Response) {
	if r == nil {
		return
	}
	for _, f := range r.Header {
		if !strings.EqualFold(f.Name, "Set-Cookie") {
			continue
		}
		if c, err := http.ParseSetCookie(f.Value); err == nil {
			if j.cookies == nil {
				j.cookies = map[string]string{}
			}
			if j.cookies[c.Name] = c.Value; c.MaxAge < 0 {
				delete(j.cookies, c.Name)
			}
		}
	}
}

// String returns the cookies as a request has them.
func (j *jar) String() string {
	var pairs []string
	for _, name := range slices.Sorted(maps.Keys(j.cookies)) {
		pairs = append(pairs, name+"="+j.cookies[name])
	}
	return strings.Join(pairs, "; ")
}

// otherAgent asks as another program does.
func otherAgent(situation) (Condition, error) {
	const agent = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148"
	return Condition{Name: exchange.OtherAgent, arrange: func(p *replay.Player) {
		putAround(p, replay.Altering(func(r exchange.Request) exchange.Request {
			return message.WithHeader(r, "User-Agent", agent)
		}))
	}}, nil
}

// otherAddress asks from another address of the loopback interface, as far as this machine has one.
func otherAddress(s situation) (Condition, error) {
	from := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}
	probe, err := net.ListenTCP("tcp4", from)
	if err != nil || !s.local {
		return Condition{}, impossible{errors.New("it needs an API on this machine, and Linux, which has more than one loopback address")}
	}
	_ = probe.Close()
	return Condition{Name: exchange.OtherAddress, arrange: func(p *replay.Player) {
		p.Dial = (&net.Dialer{LocalAddr: from}).DialContext
	}}, nil
}
