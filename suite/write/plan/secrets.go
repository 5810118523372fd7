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

// RenameSecrets has the texts and the credentials of a plan use secrets by other names, which the map has by the old
// ones.
// [Plan.Secrets] and [Plan.About] stay as they are.
func (p *Plan) RenameSecrets(names map[string]string) {
	rename := func(all ...Text) {
		for _, t := range all {
			for i := range t {
				if name := names[t[i].Secret]; name != "" {
					t[i].Secret = name
				}
			}
		}
	}
	for _, v := range p.Bound {
		rename(v.Recorded)
	}
	for i := range p.Credentials {
		if name := names[p.Credentials[i].Name]; name != "" {
			p.Credentials[i].Name = name
		}
	}
	for i := range p.Tests {
		for j := range p.Tests[i].Steps {
			s := &p.Tests[i].Steps[j]
			rename(s.Texts()...)
			for _, c := range s.Checks {
				rename(c.Name, c.Text)
				rename(c.Lines...)
				rename(c.Given...)
			}
		}
	}
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
