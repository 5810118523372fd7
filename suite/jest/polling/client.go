package polling

// Client is how the library shows an answer.
type Client struct {
	Body   string // the expression of its body, of a variable called answer
	Throws bool   // an answer that is no success is thrown, as an error that has it
	Typed  bool   // the file is TypeScript's
	// What is needed of the type of an answer, and the type of what is waited for to get it.
	Type, Promise string
}

// Fetch is fetch.
func Fetch() Client {
	return Client{Body: "await answer\n      .clone()\n      .json()\n      .catch(() => undefined)", Type: "Response", Promise: "Promise"}
}

// Axios is axios, or a client of the file's own that is called like that; throws is that it throws an answer that is no
// success.
func Axios(throws bool) Client {
	return Client{Body: "answer.data", Throws: throws, Type: "{ status: number; data: any }", Promise: "Promise"}
}

// Supertest is supertest, or superagent.
func Supertest() Client {
	return Client{Body: "answer.body", Type: "{ status: number; body: any }", Promise: "PromiseLike"}
}
