package capture

import (
	"cmp"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/internal/tcp"
)

// NoneAnswered says of requests that none of them was answered, and what may be wrong.
func (s *Session) NoneAnswered() string {
	return "none of them answered by " + cmp.Or(s.Targets(), "the API") + ": is the API running?"
}

// WhyNothing says what may be wrong where nothing comes through.
func (s *Session) WhyNothing() string {
	if s.o.Transparent {
		return "No connection was redirected here. Firewall rules do that\n" +
			"flaketap: (docs/recording.md), and only for connections opened after the rules are in place."
	}
	if s.Proxy.Stats().Untrusting > 0 {
		return "A client aborted the TLS handshake; it probably does not trust flaketap's certificate\n" +
			"flaketap: authority. Install it (flaketap ca export), or pass the host through unrecorded (--tunnel HOST)."
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
	return "Give the client the base URL " + base + " instead of the API's own:\n" +
		"flaketap: many clients bypass a proxy for localhost, or do not support one."
}

// proxyAdvice says which clients go past a forward proxy, and what to type instead.
func proxyAdvice(base string) string {
	return "Go clients bypass any proxy for localhost and 127.0.0.1: write localhost.\n" +
		"flaketap: with a dot, as in http://localhost.:8080. Python's aiohttp needs trust_env=True.\n" +
		"flaketap: For any client: --target http://127.0.0.1:8080, with the API's address, and\n" +
		"flaketap: " + base + " as the client's base URL."
}

// startAdvice says how a client finds a forward proxy that did not start it.
func startAdvice(base string) string {
	return "Start the client after --, or give it the proxy:\n" +
		"flaketap:    http_proxy=" + base + " HTTP_PROXY=" + base + " NO_PROXY= CMD"
}

// noTests is the exit status of pytest, and of unittest from Python 3.12 on, where they found no test.
const noTests = 5

// ranNoTest reports whether a command that ended with a status says by it that it ran no test at all.
func ranNoTest(command []string, status int) bool {
	return status == noTests && slices.ContainsFunc(command, func(arg string) bool {
		return strings.Contains(arg, "pytest") || strings.Contains(arg, "py.test") || strings.Contains(arg, "unittest")
	})
}

// noTestAdvice says what to type where a command ran no test.
const noTestAdvice = "The command ran no test at all (exit status 5). pytest finds files named test_*.py and *_test.py alone,\n" +
	"flaketap: unittest test*.py; name others: pytest -o python_files='*_Test.py', unittest discover -p '*_Test.py'."
