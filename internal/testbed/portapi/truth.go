package portapi

import (
	_ "embed"

	"github.com/flaketap/flaketap/internal/testbed/truth"
)

//go:embed truth.json
var truthJSON []byte

// TruthJSON returns the truth file as it is embedded.
func TruthJSON() []byte { return append([]byte(nil), truthJSON...) }

// LoadTruth reads the embedded truth file.
func LoadTruth() (truth.Truth, error) { return truth.Read(truthJSON) }
