package readings

import (
	"slices"
	"testing"
)

// What is read of one thing is known to stand together, however languages read it; of another thing, far away, or where it
// is not known, it is not.
func TestPeers(t *testing.T) {
	for name, lines := range map[string][]string{
		"by index":            {`a = row["name"]`, `b = row["price"]`},
		"by a method":         {`a = row.get("name")`, `b = row.get("price")`},
		"by a function":       {`a = read(row, "name")`, `b = read(row, "price")`},
		"as a member":         {`a := row.name`, `b := row.price`},
		"through what may be": {`a = row?.name`, `b = row?.price`},
	} {
		var r Readings
		for i, line := range lines {
			r.AddLine(line, i)
		}
		r.AddLine(`c = other["tax"]`, 3)
		r.AddLine(`d = row["unknown"]`, 4)
		r.AddLine(`e = row["far"]`, 100)
		r.AddLine(`f = row.close()`, 5)
		if got := r.Peers("name", func(name string) bool { return name != "unknown" }); !slices.Equal(got, []string{"price"}) {
			t.Errorf("%s: of what name is read of is read %q", name, got)
		}
	}
}

// Members are those of one struct.
func TestMembers(t *testing.T) {
	var r Readings
	r.Begin("type row struct {")
	r.AddMember("name", 1)
	r.AddMember("price", 2)
	r.Begin("name string")
	r.BeginStruct()
	r.AddMember("tax", 3)
	if got := r.Peers("name", func(string) bool { return true }); !slices.Equal(got, []string{"price"}) {
		t.Errorf("beside name stands %q", got)
	}
}
