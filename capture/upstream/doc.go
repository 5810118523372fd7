// Package upstream says how an API is spoken to, by the recorder and by a replay: which certificates are trusted and
// shown ([Options.TLS]), and through which proxy its connections go ([Options.Dialer]).
//
// A proxy is asked for a tunnel (CONNECT, RFC 9110 §9.3.6) for plain HTTP too. So each byte arrives at the API as it
// was sent, and what the proxy has to say itself is an error of the dial and never taken for an answer of the API.
// Passwords of proxies are in no error.
package upstream
