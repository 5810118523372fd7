package mock

import (
	"io"
	"net/http"

	"github.com/flaketap/flaketap/mock/grpc"
)

// form is how a request and its answer are put on the wire, other than stubs have them. One is of one request.
type form interface {
	// read reads the body, as stubs are held against it; more is how many bytes of it were read over.
	read(*http.Request) (body []byte, more int64, err error)
	// why says, once the body is read, why no stub can answer; "" where one can.
	why() string
	// fit is an answer of a stub as the client gets it, and why that is another one; "" where it is not.
	fit(Response) (Response, string)
	// unknown is the answer where there is no stub, of one for plain HTTP.
	unknown(Response) Response
	// write sends one of these answers.
	write(http.ResponseWriter, Response)
}

// formOf is the form of a request.
func (h *handler) formOf(r *http.Request) form {
	if r.ProtoMajor == 2 && r.Method == http.MethodPost {
		if call, ok := h.GRPC.Call(h.host, h.port, r.URL.Path, r.Header.Get("Content-Type")); ok {
			return rpc{call}
		}
	}
	return plainForm{}
}

// plainForm is HTTP as stubs have it.
type plainForm struct{}

func (plainForm) read(r *http.Request) (body []byte, more int64, err error) {
	if body, err = io.ReadAll(io.LimitReader(r.Body, maxBody)); err == nil {
		more, err = io.Copy(io.Discard, r.Body)
	}
	return body, more, err
}

func (plainForm) why() string                       { return "" }
func (plainForm) fit(r Response) (Response, string) { return r, "" }
func (plainForm) unknown(r Response) Response       { return r }

func (plainForm) write(w http.ResponseWriter, resp Response) {
	for name, values := range resp.Header {
		w.Header()[name] = values
	}
	if _, typed := resp.Header["Content-Type"]; !typed {
		w.Header()["Content-Type"] = nil // none is guessed
	}
	w.WriteHeader(resp.Status)
	_, _ = w.Write(resp.Body) // what cannot be written nobody waits for
}

// rpc is a call of gRPC, whose messages are JSON for stubs.
type rpc struct{ call *grpc.Call }

// read does not wait for the end of a stream, which may come only behind an answer.
func (f rpc) read(r *http.Request) (body []byte, more int64, err error) {
	if f.why() != "" {
		return nil, 0, nil
	}
	if body, err = io.ReadAll(io.LimitReader(r.Body, grpc.MaxBody+1)); err != nil {
		return nil, 0, err
	}
	return f.call.Request(body, r.Header.Get("Grpc-Encoding")), 0, nil
}

func (f rpc) why() string { return f.call.Why() }

func (f rpc) fit(r Response) (Response, string) {
	a, err := f.call.Named(grpc.Answer{Status: r.Status, Header: r.Header, Body: r.Body})
	r.Status, r.Header, r.Body = a.Status, a.Header, a.Body
	if err != nil {
		return r, err.Error()
	}
	return r, ""
}

func (f rpc) unknown(r Response) Response {
	r.Header.Set(grpc.StatusName, grpc.Unimplemented.String())
	return r
}

func (f rpc) write(w http.ResponseWriter, r Response) {
	f.call.Write(w, grpc.Answer{Status: r.Status, Header: r.Header, Body: r.Body})
}
