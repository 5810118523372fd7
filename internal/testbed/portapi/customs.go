package portapi

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/flaketap/flaketap/internal/testbed/service"
)

// declaration is what a captain tells the customs.
type declaration struct {
	id, captain, goods, nonce string
	serial                    int
	at                        time.Time
}

func (a *API) customsRoutes() []route {
	return []route{
		service.On("POST", "/declarations", a.declare),
		service.On("GET", "/declarations/{id}", a.getDeclaration),
		service.On("GET", "/manifests/{id}", a.manifest),
		service.On("GET", "/manifests/{id}/archive", a.archive),
		service.On("GET", "/manifests/{id}/page", a.manifestPage),
	}
}

func (a *API) declare(r *request) answer {
	in, bad := decode[struct {
		Captain string `json:"captain"`
		Born    string `json:"born"`
		Goods   string `json:"goods"`
	}](a, r)
	if bad != nil {
		return *bad
	}
	if in.Captain == "" || in.Born == "" || len(in.Captain)+len(in.Goods) > 1000 {
		return a.invalid(r, []rule{{"captain", "must be named"}, {"born", "must be a date"}, {"goods", "must be listed"},
			{"hs_code", "must have 6 digits"}, {"origin", "must be a country"}})
	}
	if len(a.state.declarations) >= maxEntries {
		return a.full(r)
	}
	a.lasting.declarations++
	d := &declaration{a.draw(18, crockford), in.Captain, in.Goods, a.hex(8), a.lasting.declarations, r.now}
	a.state.declarations[d.id] = d
	v := a.declarationView(d)
	v["born"] = in.Born
	v["received"] = "reçu le " + tongues()[2].write(tongues()[2].long, r.now) + r.now.Format(" à 15:04:05.000")
	v["body_md5"], v["body_sha256"], v["body_bytes"] = md5Of(string(r.body)), sha(string(r.body)), len(r.body)
	v["nonce"], v["proof"] = d.nonce, base64.StdEncoding.EncodeToString(a.mac(d.id+d.nonce))
	v["spool"] = "spooled to /tmp/customs/" + a.hex(6) + ".xml"
	return service.Reply(http.StatusCreated, v).With("Location", "/declarations/"+d.id).
		With("Digest", "sha-256="+base64.StdEncoding.EncodeToString(a.mac("receipt "+d.id)))
}

// declarationView is what a declaration shows to whoever sends it and to whoever reads it.
func (a *API) declarationView(d *declaration) object {
	french, german := tongues()[2], tongues()[3]
	return object{
		"id": d.id, "mrn": d.at.Format("06") + "FR" + d.id[:13], "serial": d.serial, "captain": d.captain, "goods": d.goods,
		"serial_text": fmt.Sprintf("DECL/%08d", d.serial), "accepted": d.at.Format(time.RFC1123Z),
		"accepted_ns": d.at.UnixNano(),
		"jour":        french.write(french.long, d.at), "tag": german.write(german.numeric, d.at),
		"date":       d.at.Format("01/02/2006"),
		"keep_until": d.at.AddDate(10, 0, 0).Format("2006-01-02"), "period": d.at.Format("2006-01"), "retention": "P10Y",
		"tariff_code": "870323", "duty": "6.5 %", "duty_amount": "80,17 €", "law": "Règlement du 22 novembre 2013",
		"signature": sha("signature of " + d.id + d.nonce), "stamp": "bureau de Marseille, (c) 2019", "validity": "30 days",
		"message": "Declaration " + d.id + " accepted.", "hash_note": "md5 of the law is " + md5Of("law") + ".",
		"id_note": "md5 of the id is " + md5Of(d.id) + ".", "office_id": "FR002730", "guarantee": "25FR0000000000007M",
	}
}

func (a *API) getDeclaration(r *request) answer {
	d := a.state.declarations[r.params["id"]]
	if d == nil {
		return a.missing(r)
	}
	v := a.declarationView(d)
	v["read_epoch"], v["waiting_s"] = float64(r.now.UnixMicro())/1e6, r.now.Sub(d.at).Seconds()
	expires := fmt.Sprint(r.now.Add(10 * time.Minute).Unix())
	v["download"] = "https://files.port.example/" + md5Of("law") + ".pdf?expires=" + expires + "&signature=" +
		hex.EncodeToString(a.mac("download"+expires))
	v["log"] = []string{"declaration " + d.id + " stored", "law of 22 Nov 2013 checked", "duty 80,17 € computed"}
	return service.Reply(http.StatusOK, v).With("Last-Modified", d.at.Format(http.TimeFormat)).
		With("Etag", `"`+md5Of(d.id+d.nonce)+`"`)
}

// manifest is a list of goods as ports send it to each other: its head tells when it was made, to the minute.
func (a *API) manifest(r *request) answer {
	if r.params["id"] != "M-2019-7" {
		return a.missing(r)
	}
	lines := []string{"UNB+UNOC:3+FRMRS+NLRTM+" + r.now.Format("060102:1504") + "+00000000007'", "UNH+1+IFTMCS:D:04A:UN'",
		"DTM+137:20191122:102'", "RFF+BN:BK-000007'", "UNT+4+1'", "UNZ+1+00000000007'"}
	return service.Typed(http.StatusOK, "application/edifact", []byte(strings.Join(lines, "\n"))).
		With("Content-Disposition", `attachment; filename="manifest-`+r.now.Format("2006-01-02")+`.edi"`).
		With("X-Message-Count", "1")
}

// archive is a manifest of long ago: dates and digests, none of which moves.
func (a *API) archive(r *request) answer {
	if r.params["id"] != "M-2019-7" {
		return a.missing(r)
	}
	text := "container;loaded;customs;md5\n" +
		"MSCU6639870;22/11/2019;Friday, November 22, 2019;" + md5Of("MSCU6639870") + "\n" +
		"TGHU3056478;23/11/2019;Saturday, November 23, 2019;" + md5Of("TGHU3056478") + "\n"
	return service.Typed(http.StatusOK, "text/csv; charset=utf-8", []byte(text)).With("Etag", `"`+sha(text)+`"`).
		With("Content-Disposition", `attachment; filename="manifest-2019-11-22.csv"`)
}

// manifestPage is a page for printing: its footer bears the year, its form a token.
func (a *API) manifestPage(r *request) answer {
	if r.params["id"] != "M-2019-7" {
		return a.missing(r)
	}
	return service.Typed(http.StatusOK, "text/html; charset=utf-8", fmt.Appendf(nil,
		"<!doctype html>\n<html><head><title>Manifest M-2019-7</title><meta name=\"csrf-token\" content=%q></head>"+
			"<body><p>Loaded on Friday, November 22, 2019</p><footer>%s</footer></body></html>\n",
		a.draw(32, letters+digits), r.now.Format("(c) 2006 Harbour One"))).With("X-Frame-Options", "DENY")
}
