package portapi

import (
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/flaketap/flaketap/internal/testbed/service"
)

func (a *API) systemRoutes() []route {
	return []route{
		service.On("GET", "/status", a.status),
		service.On("GET", "/crash", a.crash),
		service.On("GET", "/node", a.node),
		service.On("GET", "/log", a.log),
	}
}

func (a *API) status(r *request) answer {
	up := r.now.Sub(a.started)
	return service.Reply(http.StatusOK, object{
		"status": "UP", "version": "2024.11.3", "commit": sha("commit")[:40], "built": "2024-11-22T06:12:45Z",
		"uptime_ms": up.Milliseconds(),
		"uptime":    fmt.Sprintf("%dh %02dm %06.3fs", up/time.Hour, up%time.Hour/time.Minute, (up % time.Minute).Seconds()),
		"uptime_s":  int(up.Seconds()), "uptime_text": fmt.Sprintf("up %d seconds", up/time.Second), "sla": "99.95 %",
		"requests": a.lasting.requests, "requests_since_reset": a.state.requests,
		"requests_text": fmt.Sprintf("%d requests served",
			a.lasting.requests), "memory_free": 1<<28 + a.rng.Int64N(1<<24), "memory_total": 1 << 30,
		"load":       a.about(0.8, 0.4, 2),
		"goroutines": 40 + a.rng.IntN(30), "started_in": "2.113 s", "gc_pause_ms": a.about(3, 2, 3), "max_upload": 1700000000,
		"checks": []object{{"name": "db", "status": "UP", "latency_ms": a.about(4, 3, 2), "timeout_ms": 500},
			{"name": "ais", "status": "UP", "latency_ms": a.about(9, 5, 2), "timeout_ms": 800}}, "took_ms": a.tookMillis(r),
		"region": "eu-west-3", "license_until": "22 November 2031", "maintenance": "Sunday 02:00-04:00", "in_flight": 1,
		"last_incident": "2024-11-22 03:04:05", "motd": "Back in 3 minutes", "schema": "md5:" + md5Of("status"),
		"epoch": 1606003200,
	}).With("Server-Timing", fmt.Sprintf("db;dur=%.6f, app;dur=%.6f", float64(a.took(r).Nanoseconds())/1e6,
		float64(a.took(r).Nanoseconds())/1e6)).With("X-Runtime", fmt.Sprintf("%.9f", a.took(r).Seconds())).
		With("X-Request-Number", fmt.Sprint(a.lasting.requests)).With("X-Powered-By", "harbour/2024.11")
}

// tookMillis returns how long the answer has been in the making, in whole milliseconds: mostly none.
func (a *API) tookMillis(r *request) int64 {
	for range 9 {
		a.took(r)
	}
	return a.took(r).Milliseconds()
}

// crash answers 500 on purpose, with what a Java service lets slip when it fails.
func (a *API) crash(*request) answer {
	object1, trace, thread := fmt.Sprintf("%07x", a.rng.Uint32N(1<<28)), a.hex(16), 1+a.rng.IntN(200)
	lambda := fmt.Sprintf("BerthPlanner$$Lambda$%d/0x%016x", 100+a.rng.IntN(900), 0x800000000+a.rng.Uint64N(1<<28))
	line := []int{118, 131, 164, 202}[a.rng.IntN(4)]
	return service.Reply(http.StatusInternalServerError, object{
		"error": "java.lang.IllegalStateException", "message": "no berth for com.harbour.Vessel@" + object1, "status": 500,
		"thread": fmt.Sprintf("http-nio-8080-exec-%d", thread), "main_thread": "main", "trace_id": trace, "span_id": a.hex(8),
		"stack": []string{"com.harbour.BerthPlanner.plan(BerthPlanner.java:118)",
			"com.harbour." + lambda + ".run(Unknown Source)",
			"com.harbour.Api.serve(Api.java:42)", "java.base/java.lang.Thread.run(Thread.java:833)"},
		"fixed_stack": []string{"Crane.lift(Crane.java:77)", "Crane.main(Crane.java:12)"},
		"thrown_at":   fmt.Sprintf("BerthPlanner.java:%d", line),
		"frame": object{"file": "Api.java", "line": 42, "column": 7,
			"address": fmt.Sprintf("0x7f%010x", a.rng.Uint64N(1<<40))},
		"fixed_frame":   object{"file": "Crane.java", "line": 77, "address": "0x00007f3a91c0de44"},
		"logged":        fmt.Sprintf("[exec-%d] request failed, trace %s", thread, trace),
		"dump":          "heap dumped to /tmp/hsperf_" + a.draw(8, letters+digits) + "/dump.hprof",
		"dump_dir":      a.dials.Environment.WithDefaults().TempDir + "/dumps",
		"config_digest": "config md5 " + md5Of("config") + " is known",
		"state_digest":  "state sha256 " + sha(trace) + " is not",
		"fixed_object":  "com.harbour.Port@1b6d3586", "code": "0x80070057", "exit_code": -1073741819, "retry": false,
		"proxy_class": fmt.Sprintf("com.sun.proxy.$Proxy%d", 40+a.rng.IntN(80)), "java": "17.0.9+9-LTS",
		"process_note":  "watchdog 0xdeadbeef since Sunday",
		"first_of":      "missing " + shuffled(a, []string{"crane", "pilot", "tug"})[0],
		"documentation": "https://port.example/errors#2019-11",
		"lock":          fmt.Sprintf("waiting for <0x%016x>", a.rng.Uint64()>>16),
	}).With("X-B3-TraceId", trace).With("X-Error-Code", "E-20191122")
}

// node tells where the API runs: constants until it runs elsewhere.
func (a *API) node(r *request) answer {
	env, port := a.dials.Environment.WithDefaults(), ""
	if at, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok {
		_, port, _ = net.SplitHostPort(at.String())
	}
	return service.Reply(http.StatusOK, object{
		"host": env.Hostname, "pid": env.PID, "port": port, "data_dir": env.TempDir + "/port/data", "user": env.User,
		"instance": fmt.Sprintf("%s-%d", env.Hostname, env.PID), "self": r.absolute("/node"), "listens_on": "0.0.0.0:8080",
		"console": "http://localhost:" + port + "/console", "dsn": "postgres://port@db.internal:5432/port", "cores": 8,
		"message": "served by " + env.Hostname + " as " + env.User, "parent_pid": 1, "locale": "en_US.UTF-8",
		"tz":    "Europe/Paris",
		"image": "registry.example/port@sha256:" + sha("image"), "pod": "port-7d4b9c6f5-x2x9z", "node_id": 48213,
		"decimal": "1,234.56", "mounted": "/tmp/port.sock", "cluster": "harbour-eu-2019", "kernel": "5.15.0-91-generic",
	}).With("X-Node", env.Hostname+":"+port)
}

// log shows the last line of each of several logs.
func (a *API) log(r *request) answer {
	id := a.uuid4()
	thread := fmt.Sprintf("pool-%d-thread-%d", 1+a.rng.IntN(4), 1+a.rng.IntN(40))
	names := shuffled(a, []string{"ais", "berths", "crew", "gates", "rates"})
	last := "none"
	if n := len(a.state.booked); n > 0 {
		last = a.state.booked[n-1].ref
	}
	return service.Reply(http.StatusOK, object{
		"access":  `10.31.8.77 - - [` + r.now.Format("02/Jan/2006:15:04:05.000 -0700") + `] "GET /berths HTTP/1.1" 200 512`,
		"syslog":  r.now.Format("Jan _2 15:04:05.000") + " gate3 portd[7]: bell rung",
		"worker":  "[" + thread + "] berth plan ready",
		"request": "request " + id + " finished", "booking": "booking ref=" + last + " stored", "counter": fmt.Sprintf(
			"%d requests since start", a.lasting.requests), "reloaded": "reloaded " + strings.Join(names, ", "),
		"gc":      fmt.Sprintf("GC pause %.3f ms", 1+10*a.rng.Float64()),
		"deploy":  "Sunday, November 24, 2024: deployed 2024.11.3",
		"startup": "Started Port in 2.113 seconds (JVM running for 2.9)",
		"rotated": "/var/log/port/" + r.now.Format("2006-01-02") + ".log", "archived": "/var/log/port/2019-11-22.log.gz",
		"temp":   "wrote /tmp/upload_" + a.hex(6) + ".part",
		"lock":   "lock com.harbour.Lock@" + fmt.Sprintf("%07x", a.rng.Uint32N(1<<28)),
		"banner": ":: Port (c) 2019 :: 2024.11.3", "checksum": "index md5 " + md5Of("index") + " verified",
		"token": "issued eyJhbGciOiJub25lIn0.eyJpYXQiOjE2MDYwMDMyMDB9. to test-user", "cron": "next run 0 4 * * SUN",
		"hourly": r.now.Format("hour 15 rolled over"), "levels": []string{"ERROR", "WARN", "INFO"}, "lines": 20,
		"elapsed": fmt.Sprintf("handled in %d ns", a.took(r).Nanoseconds()), "upload_sha": "sha256 " + sha(id) + " stored",
	})
}
