package rewriting

import (
	"bytes"
	"encoding/json"
)

// An object is a JSON object that keeps the order of its fields, for a planted
// regression changes what it is about and nothing else.
type object struct {
	keys   []string
	values map[string]any
}

// decode reads JSON into objects, []any, string, json.Number, bool and nil.
func decode(text []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return decodeValue(d)
}

func decodeValue(d *json.Decoder) (any, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('['):
		list := []any{}
		for d.More() {
			v, err := decodeValue(d)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err = d.Token()
		return list, err
	case json.Delim('{'):
		o := &object{values: map[string]any{}}
		for d.More() {
			key, err := d.Token()
			if err != nil {
				return nil, err
			}
			v, err := decodeValue(d)
			if err != nil {
				return nil, err
			}
			o.set(key.(string), v)
		}
		_, err = d.Token()
		return o, err
	}
	return token, nil
}

func (o *object) has(key string) bool { _, ok := o.values[key]; return ok }

func (o *object) set(key string, v any) {
	if !o.has(key) {
		o.keys = append(o.keys, key)
	}
	o.values[key] = v
}

func (o *object) drop(key string) {
	for i, k := range o.keys {
		if k == key {
			o.keys = append(o.keys[:i:i], o.keys[i+1:]...)
		}
	}
	delete(o.values, key)
}

func (o *object) rename(key, to string) {
	for i, k := range o.keys {
		if k == key {
			o.keys[i] = to
			o.values[to] = o.values[key]
			delete(o.values, key)
		}
	}
}

func (o *object) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	out.WriteByte('{')
	for i, k := range o.keys {
		if i > 0 {
			out.WriteByte(',')
		}
		out.Write(plain(k))
		out.WriteByte(':')
		out.Write(plain(o.values[k]))
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// encode writes JSON as json-server does: two spaces a level, no escapes that
// are not needed.
func encode(v any) []byte {
	var out bytes.Buffer
	if err := json.Indent(&out, plain(v), "", "  "); err != nil {
		panic(err)
	}
	return out.Bytes()
}

func plain(v any) []byte {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	return bytes.TrimSpace(out.Bytes())
}
