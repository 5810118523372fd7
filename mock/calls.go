package mock

import (
	"cmp"
	"slices"
	"sync"
)

// Call is one request to a service, and what became of it.
type Call struct {
	Service string `json:"service"` // host:port
	Scheme  string `json:"scheme"`  // "http" or "https"
	Method  string `json:"method"`
	Target  string `json:"target"` // path and query, as they were sent
	Status  int    `json:"status"` // 0 where the connection was ended instead
	Stub    string `json:"stub"`   // the one that answered; "" for none
	// Nearest is the stub that came nearest where none answers, and Misses the part of the request that it is not for.
	Nearest string `json:"nearest,omitempty"`
	Misses  string `json:"misses,omitempty"`
	// Why is why a call of gRPC got no answer of a stub, though there may be one.
	Why string `json:"why,omitempty"`
}

// maxCalls bounds how many different calls are told apart.
const maxCalls = 10_000

// Calls counts what services are asked. The zero value has none; its methods may be called from several goroutines.
type Calls struct {
	mu    sync.Mutex
	times map[Call]int
	order []Call
	more  int
}

// Counted is a call with how often it was made.
type Counted struct {
	Call
	Times int `json:"times"`
}

// Add counts a call.
func (c *Calls) Add(call Call) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.times == nil {
		c.times = map[Call]int{}
	}
	_, known := c.times[call]
	switch {
	case !known && len(c.order) >= maxCalls:
		c.more++
		return
	case !known:
		c.order = append(c.order, call)
	}
	c.times[call]++
}

// List lists the calls by service, those of one in the order in which they were first made; more is how many further
// ones there were that are not told apart.
func (c *Calls) List() (all []Counted, more int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	all = c.listed()
	slices.SortStableFunc(all, func(a, b Counted) int { return cmp.Compare(a.Service, b.Service) })
	return all, c.more
}

func (c *Calls) listed() (all []Counted) {
	for _, call := range c.order {
		all = append(all, Counted{call, c.times[call]})
	}
	return all
}

// Take lists the calls in the order in which they were first made, and forgets them.
func (c *Calls) Take() []Counted {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := c.listed()
	c.times, c.order, c.more = nil, nil, 0
	return all
}
