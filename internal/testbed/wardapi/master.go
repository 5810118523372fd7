package wardapi

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/flaketap/flaketap/internal/testbed/service"
)

// drug is a medicine of the house's list: constants that look like anything but.
type drug struct {
	name, pzn, gtin, atc, charge, base32, formula, colour, released string
	strength                                                        int
	net, vat                                                        int // cents
}

func drugs() []drug {
	return []drug{
		{"Paracetamol Halm 500 mg", "04356248", "4150043562483", "N02BE01", "7F3A91", "JBSWY3DPEHPK3PXP",
			"CC(=O)NC1=CC=C(O)C=C1", "#fafad2", "2019-05-14T06:30:00Z", 500, 420, 80},
		{"Ibuprofen Cade 400 mg", "01126111", "4150011261112", "M01AE01", "0xC0FFEE", "GEZDGNBVGY3TQOJQ",
			"CC(C)CC1=CC=C(C=C1)C(C)C(=O)O", "#c0ffee", "2021-11-30T23:59:59.999Z", 400, 655, 125},
		{"Metformin Ebbe 850 mg", "07244313", "4150072443137", "A10BA02", "1769663709", "MFRGGZDFMZTWQ2LK",
			"CN(C)C(=N)NC(N)=N", "#decade", "2025-01-01T00:00:00+01:00", 850, 1310, 249},
	}
}

// insured is a person insured with a fund: a record of the fund's, which only the fund changes.
type insured struct {
	kvnr, uuid, family, given, born, email, iban, icc, guid, blood, hash string
}

func insurees() []insured {
	return []insured{
		{"A123456780", "018f3b1c-7d2a-7c3e-9b1f-2c4d5e6f7a8b", "Özdemir", "Ada", "29.02.1984", "ada@facade.de",
			"DE89370400440532013000",
			"80276881040001234567", "{3F2504E0-4F89-41D3-9A0C-0305E82C3301}", "0+",
			"$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHQ$RdescudvJCsgt3ub+b8dWRWJTmaaJObG"},
		{"B987654321", "6fa459ea-ee8a-11e5-8f3c-001b44113ab7", "Deadbeef-Huß", "Émile", "01.12.1951",
			"emile@c0ffee.example", "FR1420041010050500013M02606",
			"80276881040009876543", "{6BA7B810-9DAD-11D1-80B4-00C04FD430C8}", "AB-",
			"$2b$12$EixZaYVK1fsbw1ZfbX3OXePaWxn96p36WQoeG6Lruj3vjPGga31lW"},
	}
}

// cardToken is a signed token that was written on cards years ago.
const cardToken = "eyJhbGciOiJFUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJBMTIzNDU2NzgwIiwiaWF0IjoxNTE2MjM5MDIyfQ.bWFkZS1vbmNlLWFuZC1uZXZlci1hZ2Fpbi1mb3ItYS1jYXJk"

// pixel is a picture of one pixel.
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

// mastersEdited is when the master data were last edited.
const mastersEdited = "Tue, 03 Mar 2020 08:00:00 GMT"

func (a *API) masterRoutes() []route {
	return []route{
		service.On("GET", "/medikamente/{pzn}", a.getDrug),
		service.On("GET", "/versicherte/{kvnr}", a.getInsured),
		service.On("GET", "/codes/{system}", a.getCodes),
		service.On("GET", "/export/medikamente", func(*request) answer {
			var b strings.Builder
			b.WriteString("pzn;gtin;name;stand;pruefsumme\r\n")
			for _, d := range drugs() {
				fmt.Fprintf(&b, "%s;%s;%s;%s;%s\r\n", d.pzn, d.gtin, d.name, d.released, digest(d.pzn)[:16])
			}
			return service.Typed(http.StatusOK, "text/csv; charset=utf-8", []byte(b.String())).With("Etag",
				`"`+digest(b.String())[:32]+`"`)
		}),
		service.On("GET", "/export/versicherte", func(*request) answer {
			var b strings.Builder
			for _, x := range insurees() {
				fmt.Fprintf(&b, "%s\n", service.Encode(object{"kvnr": x.kvnr, "uuid": x.uuid, "geburtsdatum": x.born,
					"pruefsumme": digest(x.kvnr)}))
			}
			return service.Typed(http.StatusOK, "application/x-ndjson", []byte(b.String())).With("Last-Modified", mastersEdited)
		}),
	}
}

func (a *API) getDrug(r *request) answer {
	for _, d := range drugs() {
		if d.pzn != r.params["pzn"] {
			continue
		}
		etag := `"` + digest(d.pzn + d.charge)[:40] + `"`
		if r.Header.Get("If-None-Match") == etag {
			return service.Empty(http.StatusNotModified).With("Etag", etag)
		}
		return resource(http.StatusOK, object{
			"resourceType": "Medication", "pzn": d.pzn, "gtin": d.gtin, "atc": d.atc, "bezeichnung": d.name, "charge": d.charge,
			"dosis": object{"wert": d.strength, "einheit": "mg"}, "halbwertszeit": "PT2H30M", "wirkstoff_smiles": d.formula,
			"pruefsumme": "sha256:" + digest(d.pzn), "symbol": "data:image/png;base64," + pixel, "farbe": d.colour,
			"freigabe": d.released, "geheimcode_base32": d.base32, "version": "v2.14.0-rc.3", "mhd": "2028-11",
			"preis":        object{"netto": cents(d.net), "mwst": cents(d.vat), "brutto": cents(d.net + d.vat)},
			"fach_seriell": "1769663709123", "rueckruf": nil, "wirkdauer": "PT6H",
		}).With("Etag", etag).With("Last-Modified", mastersEdited).With("Cache-Control", "private, max-age=86400")
	}
	return a.missing(r)
}

// cents writes an amount as 4.20.
func cents(n int) string { return fmt.Sprintf("%d.%02d", n/100, n%100) }

func (a *API) getInsured(r *request) answer {
	for _, x := range insurees() {
		if x.kvnr != r.params["kvnr"] {
			continue
		}
		born, _ := time.Parse(germanDate, x.born)
		return service.Reply(http.StatusOK, object{
			"kvnr": x.kvnr, "uuid": x.uuid, "nom_de_naissance": x.family, "prenom": x.given, "date_naissance": x.born,
			"alter": age(born, r.now), "kasse": object{"ik": "109500969", "name": "Kasse 0xFACE"}, "egk_icc": x.icc,
			"gueltig_bis": "31.12.2031", "email": x.email, "iban": x.iban, "guid": x.guid, "groupe_sanguin": x.blood,
			"passwort_hash": x.hash, "karten_token": cardToken, "foto_md5": digest(x.kvnr)[:32],
			"leser":      object{"ip": "10.20.3.14", "ipv6": "2001:db8::1428:57ab", "mac": "00:1B:44:11:3A:B7", "port": 44321},
			"historique": []object{{"jour": "03.05.2011", "acte": "inscription"}, {"jour": "17.09.2018", "acte": "changement"}},
		})
	}
	return a.missing(r)
}

// codes lists the code systems: each entry has another kind of constant for a code.
func (a *API) getCodes(r *request) answer {
	entries := map[string][]object{
		"geraete": {
			{"code": "01ARZ3NDEKTSV4RRFFQ69G5FAV", "art": "ulid", "anzeige": "Monitor"},
			{"code": "V1StGXR8_Z5jdHi6B-myT", "art": "nanoid", "anzeige": "Pumpe"},
			{"code": "f81d4fae-7dec-11d0-a765-00a0c91e6bf6", "art": "uuid1", "anzeige": "Waage"},
		},
		"zeiten": {
			{"code": "1706512509", "art": "epoch", "anzeige": "Umzug"},
			{"code": "20240129071509", "art": "hl7", "anzeige": "Übernahme"},
			{"code": "2024-W05-1", "art": "woche", "anzeige": "Eröffnung"},
		},
	}[r.params["system"]]
	if entries == nil {
		return a.missing(r)
	}
	return service.Reply(http.StatusOK, object{
		"oid": "1.2.276.0.76.5." + fmt.Sprint(100+len(r.params["system"])), "codes": entries, "anzahl": len(entries),
		"veroeffentlicht": "2024-01-29T07:15:09.123456Z", "signatur": digest("codes"), "thread": "main",
		"objekt": "CodeSystem@1b6d3586",
	}).With("Etag", `W/"2024-01-29"`).With("X-Build", "7.3.1-build.20260114")
}
