package plan

import (
	"encoding/json"
	"fmt"

	"github.com/flaketap/flaketap/suite"
)

// SecretsFile is the file of a plan's secrets, for the owner's eyes alone.
func SecretsFile(plan Plan) (suite.File, error) {
	secrets := plan.Secrets
	if secrets == nil {
		secrets = map[string]string{}
	}
	data, err := json.MarshalIndent(secrets, "", "  ")
	if err != nil {
		return suite.File{}, fmt.Errorf("encode secrets: %w", err)
	}
	return suite.File{Name: "secrets.json", Data: append(data, '\n'), Perm: 0o600}, nil
}

// ExampleFile is a file of a plan's secrets with the names alone, for all eyes: it is copied, and filled in.
func ExampleFile(plan Plan) (suite.File, error) {
	empty := plan
	empty.Secrets = make(map[string]string, len(plan.Secrets))
	for name := range plan.Secrets {
		empty.Secrets[name] = ""
	}
	file, err := SecretsFile(empty)
	file.Name, file.Perm = "secrets.example.json", 0o644
	return file, err
}
