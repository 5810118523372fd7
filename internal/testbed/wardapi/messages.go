package wardapi

import (
	"crypto/md5"
	"fmt"
	"hash/crc32"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"
	"time"

	"github.com/flaketap/flaketap/internal/testbed/service"
)

// message is what one shift leaves for the next.
type message struct {
	id, thread, text string
	file             []byte
	name             string
	at, read         time.Time
}

func (a *API) messageRoutes() []route {
	return []route{
		service.On("GET", "/nachrichten", a.listMessages),
		service.On("POST", "/nachrichten", a.postMessage),
		service.On("GET", "/nachrichten/{id}", a.getMessage),
		service.On("PATCH", "/nachrichten/{id}", a.readMessage),
		service.On("GET", "/nachrichten/{id}/roh", a.rawMessage),
	}
}

// listMessages lists the messages, those of an earlier client too.
func (a *API) listMessages(*request) answer {
	list, unread := []object{}, 0
	for _, m := range a.state.messages {
		if m.read.IsZero() {
			unread++
		}
		if len(list) < 50 {
			list = append(list, object{"text": m.text, "anhang": m.name != ""})
		}
	}
	return service.Reply(http.StatusOK, object{"nachrichten": list, "ungelesen": unread,
		"postfach": "its-1@klinik.example", "quote_mb": 250})
}

// postMessage takes a message as a form of several parts. Its id holds the time, as those of a snowflake do.
func (a *API) postMessage(r *request) answer {
	m, bad := a.readForm(r)
	if bad != nil {
		return *bad
	}
	if len(a.state.messages) >= maxEntries {
		return a.full(r)
	}
	a.lasting.messages++
	m.id, m.thread, m.at = fmt.Sprint((r.now.UnixMilli()-1420070400000)<<22), a.nanoID(), r.now
	a.state.messages = append(a.state.messages, m)
	a.note(r, "nachricht")
	return service.Reply(http.StatusCreated, object{
		"id": m.id, "kette": m.thread, "laufnummer": fmt.Sprintf("N-%05d", a.lasting.messages),
		"empfangen": r.now.Format(time.RFC1123Z), "text": m.text,
		"anhang": object{
			"name": m.name, "groesse": len(m.file), "md5": fmt.Sprintf("%x", md5.Sum(m.file)), "crc32": fmt.Sprintf("%08x",
				crc32.ChecksumIEEE(m.file)), "sha256": digest(string(m.file)),
		},
	}).With("Location", "/nachrichten/"+m.id)
}

// readForm reads the parts of a message.
func (a *API) readForm(r *request) (*message, *answer) {
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/form-data" {
		bad := a.problem(r, http.StatusUnsupportedMediaType, "medientyp", "Erwartet wird multipart/form-data.")
		return nil, &bad
	}
	m, form := &message{}, multipart.NewReader(strings.NewReader(string(r.body)), params["boundary"])
	for range 10 {
		part, err := form.NextPart()
		if err != nil {
			break
		}
		data, err := io.ReadAll(part)
		if err != nil {
			break
		}
		if part.FormName() == "text" {
			m.text = string(data)
		}
		if part.FormName() == "anhang" {
			m.file, m.name = data, part.FileName()
		}
	}
	if m.text == "" || len(m.text) > 1000 {
		bad := a.problem(r, http.StatusBadRequest, "formular", "Das Formular hat keinen Text.")
		return nil, &bad
	}
	return m, nil
}

// message returns the message of the path.
func (a *API) message(r *request) (*message, *answer) {
	for _, m := range a.state.messages {
		if m.id == r.params["id"] {
			return m, nil
		}
	}
	bad := a.missing(r)
	return nil, &bad
}

func (a *API) getMessage(r *request) answer {
	m, bad := a.message(r)
	if bad != nil {
		return *bad
	}
	return service.Reply(http.StatusOK, object{
		"id": m.id, "text": m.text, "empfangen": m.at.Format(time.RFC1123Z), "vor_ms": r.now.Sub(m.at).Milliseconds(),
		"gelesen":  !m.read.IsZero(),
		"priorite": "normale", "absender": "oberarzt@klinik.example",
	})
}

func (a *API) readMessage(r *request) answer {
	m, bad := a.message(r)
	if bad != nil {
		return *bad
	}
	m.read = r.now
	return service.Reply(http.StatusOK, object{"gelesen": true, "gelesen_um": float64(r.now.UnixMicro()) / 1e6,
		"von": nurse})
}

// rawMessage is the message as it would be sent by mail: parts between a boundary made up each time.
func (a *API) rawMessage(r *request) answer {
	m, bad := a.message(r)
	if bad != nil {
		return *bad
	}
	boundary := "=_" + a.hex(12)
	text := fmt.Sprintf("--%s\r\nContent-Type: text/plain\r\n\r\n%s\r\n--%s\r\nContent-Type: application/octet-stream\r\n\r\n%s\r\n--%s--\r\n", boundary, m.text, boundary, m.file, boundary)
	return service.Typed(http.StatusOK, "multipart/mixed; boundary=\""+boundary+"\"", []byte(text)).With("X-Prioritaet",
		"3 (normal)")
}
