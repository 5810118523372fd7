package capture

import (
	"github.com/flaketap/flaketap/internal/tcp"
)

// WhyNothing says what may be wrong where nothing comes through.
func (s *Session) WhyNothing() string {
	if s.o.Transparent {
		return "No connection was redirected here: rules of the\n" +
			"flaketap: the kernel do that (docs/recording.md), and only to connections that are made after they are."
	}
	if s.Proxy.Stats().Untrusting > 0 {
		return "A client broke off what it had begun in TLS, as those do that do not trust the\n" +
			"flaketap: authority: flaketap ca export, or --tunnel HOST to leave a host's TLS alone."
	}
	base := "http://" + tcp.Reachable(s.Addr()).String()
	if s.Targets() != "" {
		return baseURLAdvice(base)
	}
	if len(s.o.Command) > 0 {
		return proxyAdvice(base)
	}
	return startAdvice(base) + "\nflaketap: " + proxyAdvice(base)
}

// There are clients that cannot be made to use a proxy for localhost; a base URL all of them have.

// baseURLAdvice says what to type where a reverse proxy got nothing.
func baseURLAdvice(base string) string {
	return "Give the client the base URL " + base + " instead of the API's\n" +
		"flaketap: own: many go past a proxy for localhost, or use none at all."
}

// proxyAdvice says which clients go past a forward proxy, and what to type instead.
func proxyAdvice(base string) string {
	return "Go clients go past every proxy for localhost and 127.0.0.1: write localhost.\n" +
		"flaketap: with a dot, as in http://localhost.:8080. Python's aiohttp needs trust_env=True.\n" +
		"flaketap: For any client: --target http://127.0.0.1:8080, with the API's address, and\n" +
		"flaketap: " + base + " as the client's base URL."
}

// startAdvice says how a client finds a forward proxy that did not start it.
func startAdvice(base string) string {
	return "Start the client behind --, or tell it of the proxy:\n" +
		"flaketap:    http_proxy=" + base + " HTTP_PROXY=" + base + " NO_PROXY= CMD"
}
