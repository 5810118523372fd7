package records

import (
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"strconv"
	"strings"
)

// Bounds of the source that is read, in bytes, of its structs, and of what is read of one: it may hold itself, many
// times.
const (
	maxSource  = 1 << 20
	maxRecords = 200
	maxMembers = 1000
)

// OfGo returns the structs of a file of Go whose fields have names in JSON, in their order; none of what is no Go.
// Types of other files are not looked into.
func OfGo(source []byte) (out []Record) {
	if len(source) > maxSource || !strings.Contains(string(source), `json:"`) {
		return nil
	}
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "", source, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	named := types{of: map[string]ast.Expr{}}
	ast.Inspect(file, func(n ast.Node) bool {
		if t, is := n.(*ast.TypeSpec); is {
			named.of[t.Name.Name] = t.Type
		}
		return true
	})
	ast.Inspect(file, func(n ast.Node) bool {
		s, is := n.(*ast.StructType)
		if !is || len(out) >= maxRecords {
			return true
		}
		named.left = maxMembers
		if members := named.members(s, maxDepth); len(members) > 0 {
			out = append(out, Of(files.Position(s.Pos()).Line, members))
		}
		return true
	})
	return out
}

// types are those that a file declares, by their names, and how many members are yet read of the struct at hand.
type types struct {
	of   map[string]ast.Expr
	left int
}

// members are the fields of a struct that have names in JSON.
func (t *types) members(s *ast.StructType, depth int) (out []Member) {
	if depth == 0 {
		return nil
	}
	for _, f := range s.Fields.List {
		if t.left--; f.Tag == nil || t.left < 0 {
			continue
		}
		tag, err := strconv.Unquote(f.Tag.Value)
		if err != nil {
			continue
		}
		name, _, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
		if name != "" && name != "-" {
			kind, of := t.kind(f.Type, depth)
			out = append(out, Member{name, kind, of})
		}
	}
	return out
}

// basic are the kinds that encoding/json makes of the types that Go has.
var basic = map[string]string{
	"string": "string", "bool": "boolean", "float32": "number", "float64": "number", "byte": "integer", "rune": "integer",
	"int": "integer", "int8": "integer", "int16": "integer", "int32": "integer", "int64": "integer",
	"uint": "integer", "uint8": "integer", "uint16": "integer", "uint32": "integer", "uint64": "integer",
}

// kind is what encoding/json makes of a type, and what lies within.
func (t *types) kind(e ast.Expr, depth int) (kind string, of []Member) {
	switch e := e.(type) {
	case *ast.StarExpr:
		return t.kind(e.X, depth)
	case *ast.MapType:
		return object, nil
	case *ast.ArrayType:
		_, of = t.kind(e.Elt, depth-1)
		return list, of
	case *ast.StructType:
		return object, t.members(e, depth-1)
	case *ast.Ident:
		if named, declared := t.of[e.Name]; declared && depth > 0 {
			if is, same := named.(*ast.Ident); same && t.of[is.Name] != nil {
				return "", nil // of another name, or of itself
			}
			return t.kind(named, depth-1)
		}
		return basic[e.Name], nil
	}
	return "", nil // as of a time, or of an interface
}
