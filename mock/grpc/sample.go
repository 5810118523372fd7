package grpc

import (
	"math"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/flaketap/flaketap/exchange"
)

// Sample is a good answer of a method, with a value in each of its fields.
type Sample struct {
	JSON any
	// Types are the words of JSON Schema for the types of fields, and Values the names of enumerated ones; elements of
	// lists are *.
	Types  map[exchange.Place]string
	Values map[exchange.Place][]any
}

// Bounds of a sample.
const (
	maxSampleDepth  = 8
	maxSampleFields = 500
)

// Sample is one of the answers of a method.
func (m *Method) Sample() Sample {
	s := Sample{Types: map[exchange.Place]string{}, Values: map[exchange.Place][]any{}}
	s.JSON = s.message(exchange.PlaceBody, m.desc.Output(), maxSampleDepth)
	return s
}

// wellKnown are the values of messages that are no objects in JSON.
var wellKnown = map[protoreflect.FullName]any{
	"google.protobuf.Timestamp": "2026-01-02T03:04:05Z", "google.protobuf.Duration": "1s",
	"google.protobuf.FieldMask": "name", "google.protobuf.StringValue": "text", "google.protobuf.BytesValue": "",
	"google.protobuf.BoolValue": true, "google.protobuf.Int32Value": 1.0, "google.protobuf.Int64Value": 1.0,
	"google.protobuf.UInt32Value": 1.0, "google.protobuf.UInt64Value": 1.0, "google.protobuf.FloatValue": 1.0,
	"google.protobuf.DoubleValue": 1.0, "google.protobuf.Value": "text", "google.protobuf.ListValue": []any{},
}

// message is a message with all of its fields, of each group of alternatives the first.
func (s *Sample) message(at exchange.Place, of protoreflect.MessageDescriptor, deep int) any {
	if v, known := wellKnown[of.FullName()]; known {
		s.Types[at] = typeOf(v)
		return v
	}
	s.Types[at] = "object"
	out := map[string]any{}
	for i := range of.Fields().Len() {
		f := of.Fields().Get(i)
		one := f.ContainingOneof()
		switch {
		case deep == 0 && f.Message() != nil, len(s.Types) > maxSampleFields:
		case one != nil && one.Fields().Get(0) != f:
		case f.Message() != nil && f.Message().FullName() == "google.protobuf.Any":
		default:
			out[f.JSONName()] = s.field(at.Key(f.JSONName()), f, deep-1)
		}
	}
	return out
}

// field is a field with one element.
func (s *Sample) field(at exchange.Place, f protoreflect.FieldDescriptor, deep int) any {
	switch {
	case f.IsMap():
		s.Types[at] = "object"
		key := "key"
		if f.MapKey().Kind() != protoreflect.StringKind {
			key = "1"
		}
		if f.MapKey().Kind() == protoreflect.BoolKind {
			key = "true"
		}
		return map[string]any{key: s.single(at.Key(key), f.MapValue(), deep)}
	case f.IsList():
		s.Types[at] = "array"
		return []any{s.single(at.Each(), f, deep)}
	}
	return s.single(at, f, deep)
}

// single is one value of a field.
func (s *Sample) single(at exchange.Place, f protoreflect.FieldDescriptor, deep int) any {
	var v any
	switch f.Kind() {
	case protoreflect.MessageKind, protoreflect.GroupKind:
		return s.message(at, f.Message(), max(deep, 0))
	case protoreflect.EnumKind:
		values := f.Enum().Values()
		for i := range values.Len() {
			s.Values[at] = append(s.Values[at], string(values.Get(i).Name()))
		}
		v = s.Values[at][min(1, values.Len()-1)] // the first is what is not said
	case protoreflect.StringKind:
		v = "text"
	case protoreflect.BytesKind:
		v = ""
	case protoreflect.BoolKind:
		v = true
	case protoreflect.DoubleKind, protoreflect.FloatKind:
		s.Types[at] = "number"
		return 1.5
	default:
		s.Types[at] = "integer"
		return 1.0
	}
	s.Types[at] = typeOf(v)
	return v
}

func typeOf(v any) string {
	switch v := v.(type) {
	case bool:
		return "boolean"
	case float64:
		if v == math.Trunc(v) {
			return "integer"
		}
		return "number"
	case []any:
		return "array"
	}
	return "string"
}
