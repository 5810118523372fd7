package wardapi

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/flaketap/flaketap/internal/testbed/service"
)

// auditEntry is one line of the record of who did what.
type auditEntry struct {
	at       time.Time
	what, id string
}

// note adds to the record.
func (a *API) note(r *request, what string) {
	if len(a.state.audit) < maxEntries {
		a.state.audit = append(a.state.audit, auditEntry{r.now, what, a.hex(8)})
	}
}

func (a *API) auditRoutes() []route {
	return []route{
		service.On("GET", "/protokoll", a.auditLines),
		service.On("GET", "/protokoll/log", a.serverLog),
		service.On("GET", "/protokoll/zaehler", a.counters),
		service.On("GET", "/protokoll/kette", a.auditChain),
	}
}

// auditLines exports the record as lines of JSON.
func (a *API) auditLines(*request) answer {
	var b strings.Builder
	for i, e := range a.state.audit[:min(len(a.state.audit), 40)] {
		fmt.Fprintf(&b, "%s\n", service.Encode(object{"nr": i + 1, "zeit": e.at.Format(time.RFC3339Nano), "aktion": e.what,
			"akteur": nurse, "regel": "BDSG-76"}))
	}
	return service.Typed(http.StatusOK, "application/x-ndjson", []byte(b.String())).With("Content-Disposition",
		`attachment; filename="protokoll.ndjson"`)
}

// serverLog is the tail of a server's log: what it says is always the same, which thread says it is not.
func (a *API) serverLog(*request) answer {
	thread := func() string { return fmt.Sprintf("pool-%d-thread-%d", 1+a.rng.IntN(9), 1+a.rng.IntN(64)) }
	text := fmt.Sprintf("INFO  [%s] d.k.Station - ITS-1 geladen\nWARN  [%s] d.k.Labor - SN-00A1F3 antwortet nicht: java.net.Socket@%x\nINFO  [main] d.k.Start - Version 7.3.1\n",
		thread(), thread(), a.rng.Uint32()|1<<28)
	return service.Typed(http.StatusOK, "text/plain; charset=utf-8", []byte(text))
}

// counters counts requests: since the last reset, and ever.
func (a *API) counters(*request) answer {
	return service.Reply(http.StatusOK, object{
		"seit_leerung": a.state.requests, "insgesamt": a.lasting.requests, "anmeldungen": a.state.logins, "grenze": 100000,
		"pro_methode": object{"TRACE": 0}, "akten": a.lasting.files, "zaehler_version": 1706512509,
	}).With("X-Anfrage-Nr", fmt.Sprintf("%08d", a.lasting.requests))
}

// auditChain is the record as a chain of digests: each holds the one before.
func (a *API) auditChain(*request) answer {
	hash, salt := digest("genesis"), a.hex(16)
	for _, e := range a.state.audit {
		hash = digest(hash + e.id + e.what + e.at.Format(time.RFC3339Nano))
	}
	return service.Reply(http.StatusOK, object{
		"wurzel": digest("genesis"), "spitze": hash, "verfahren": "SHA-256", "salz": salt, "siegel": digest("klinik" + salt),
		"glieder": 1 << 4,
		"block":   object{"version": 2, "schwierigkeit": "0x1d00ffff", "vorgaenger": digest("block-0")},
	})
}
