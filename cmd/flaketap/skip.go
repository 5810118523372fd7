package main

import (
	"net"
	"strings"

	"github.com/flaketap/flaketap/internal/tcp"
)

// whyNothing says what may be wrong where nothing comes through.
func (r *recorder) whyNothing() string {
	if r.c.Bool("transparent") {
		return "No connection was redirected here: rules of the\n" +
			"flaketap: kernel's do that (docs/recording.md), and only to connections that are made after they are."
	}
	if r.proxy.Stats().Untrusting > 0 {
		return "A client broke off what it had begun in TLS, as those do that do not trust the\n" +
			"flaketap: authority: flaketap ca export, or --tunnel HOST to leave a host's TLS alone."
	}
	return skipAdvice(tcp.Reachable(r.ln.Addr()), targetsText(r.proxy) != "", len(r.client) > 0)
}

// skipAdvice says, where nothing has come to a recorder, which clients go past it and what to type instead. There are
// clients that cannot be made to use a proxy for localhost; a base URL all of them have. started says that the client
// was started behind --, and so has all that can be set for it.
func skipAdvice(addr net.Addr, target, started bool) string {
	if target {
		return "Give the client the base URL http://" + addr.String() + " instead of the API's\n" +
			"flaketap: own: many go past a proxy for localhost, or use none at all."
	}
	lines := []string{
		"Go clients go past every proxy for localhost and 127.0.0.1: write localhost.",
		"with a dot, as in http://localhost.:8080. Python's aiohttp needs trust_env=True.",
		"For any client: --target http://127.0.0.1:8080, with the API's address, and",
		"http://" + addr.String() + " as the client's base URL.",
	}
	if !started {
		lines = append([]string{
			"Start the client behind --, or tell it of the proxy:",
			"   http_proxy=http://" + addr.String() + " HTTP_PROXY=http://" + addr.String() + " NO_PROXY= CMD",
		}, lines...)
	}
	return strings.Join(lines, "\nflaketap: ")
}
