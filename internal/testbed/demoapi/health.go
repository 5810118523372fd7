package demoapi

import (
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/flaketap/flaketap/internal/testbed/service"
)

func (a *API) healthRoutes() []route {
	return []route{
		service.On("GET", "/health", a.health),
		service.On("GET", "/health/ready", func(*request) answer { return service.Empty(http.StatusNoContent) }),
		service.On("GET", "/health/uptime", a.uptime),
		service.On("GET", "/health/machine", a.machine),
	}
}

// hanoi is the zone of the offices: +07:00 all year round.
func hanoi() *time.Location { return time.FixedZone("", 7*60*60) }

// health tells the time in every notation that services use.
func (a *API) health(*request) answer {
	now := a.now()
	type clock struct {
		Seconds  int64   `json:"epochSeconds"`
		Millis   int64   `json:"epochMillis"`
		Nanos    int64   `json:"epochNanos"`
		Fraction float64 `json:"epochFraction"`
		Text     string  `json:"epochText"`
		RFC1123  string  `json:"rfc1123"`
		Offset   string  `json:"rfc3339"`
		Nano     string  `json:"rfc3339Nano"`
		Local    string  `json:"local"`
		Compact  string  `json:"compact"`
		Unix     string  `json:"unixDate"`
		Today    string  `json:"today"`
	}
	local := now.In(hanoi())
	return service.Reply(http.StatusOK, struct {
		Status   string  `json:"status"`
		Version  string  `json:"version"`
		BuiltAt  string  `json:"builtAt"`
		Build    int64   `json:"buildMillis"`
		Commit   string  `json:"commit"`
		Uptime   float64 `json:"uptimeSeconds"`
		Checks   []check `json:"checks"`
		Timeout  int     `json:"responseTimeInMilliseconds"`
		Clock    clock   `json:"clock"`
		Sentence string  `json:"sentence"`
	}{
		"ok", "1.4.2", "2026-01-29T05:15:09Z", 1769663709000, digest("build")[:40], now.Sub(a.started).Seconds(),
		[]check{{"store", "up"}, {"clock", "up"}}, 250,
		clock{
			now.Unix(), now.UnixMilli(), now.UnixNano(), float64(now.UnixMicro()) / 1e6, fmt.Sprint(now.Unix()),
			now.UTC().Format(http.TimeFormat), local.Format(time.RFC3339), nanos(now), local.Format("2006-01-02 15:04:05.000"),
			now.UTC().Format("20060102150405"), now.UTC().Format(time.UnixDate), now.UTC().Format(time.DateOnly),
		},
		fmt.Sprintf("Serving since %s, for %s now.", a.started.UTC().Format(time.DateOnly),
			now.Sub(a.started).Round(time.Millisecond)),
	}).With("X-Served-At", now.UTC().Format(http.TimeFormat))
}

// check is the state of one part of the service.
type check struct {
	Name  string `json:"name"`
	State string `json:"state"`
}

// uptime says in plain text how long the API has been up.
func (a *API) uptime(*request) answer {
	up := a.now().Sub(a.started)
	return service.Typed(http.StatusOK, "text/plain; charset=utf-8", fmt.Appendf(nil, "up %.6f s\n", up.Seconds()))
}

// machine tells where the API runs: constants until it runs elsewhere.
func (a *API) machine(r *request) answer {
	env := a.dials.Environment.WithDefaults()
	port := ""
	if at, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok {
		_, port, _ = net.SplitHostPort(at.String())
	}
	return service.Reply(http.StatusOK, struct {
		Hostname string `json:"hostname"`
		PID      int    `json:"pid"`
		Port     string `json:"port"`
		TempDir  string `json:"tempDir"`
		Upload   string `json:"uploadFile"`
		User     string `json:"user"`
		Instance string `json:"instance"`
		Address  string `json:"listenUrl"`
		Arch     string `json:"architecture"`
		Zone     string `json:"zone"`
	}{
		env.Hostname, env.PID, port, env.TempDir, env.TempDir + "/demo-upload.part", env.User,
		fmt.Sprintf("%s:%d", env.Hostname, env.PID), "http://127.0.0.1:" + port + "/", "portable", "+07:00",
	}).With("X-Instance", env.Hostname)
}
