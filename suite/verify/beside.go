package verify

// Beside returns so many commands that may run beside each other: each starts an API of its own, and its suite finds it
// at an address of its own. The API has to be one that is started at a free port, and the suite must have no address
// written in.
func (c *Command) Beside(count int) ([]*Command, error) {
	services, err := c.Service.Apart(count)
	if err != nil {
		return nil, err
	}
	out := make([]*Command, count)
	for i, api := range services {
		one := *c
		one.Service, one.addr = api, ""
		out[i] = &one
	}
	return out, nil
}
