package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/urfave/cli/v2"
	"go.yaml.in/yaml/v4"

	"github.com/tacet-privacy/tacet/pipeline/job"
)

const jobSchemaFile = "../../docs/schema/job-v1.json"

// TestJobSchema holds the schema that is shipped to the flags there are; with
// TACET_UPDATE=1 it writes it.
func TestJobSchema(t *testing.T) {
	want, err := job.Schema(everyJobKey())
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv("TACET_UPDATE") == "1" {
		if err := os.WriteFile(jobSchemaFile, want, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(jobSchemaFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not that of the flags; TACET_UPDATE=1 go test -run TestJobSchema ./cmd/tacet writes it", jobSchemaFile)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(got))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(job.SchemaID, doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile(job.SchemaID)
	if err != nil {
		t.Fatal(err)
	}
	example := jobExample(t)
	for _, c := range []struct {
		text  string
		valid bool
	}{
		{example, true},
		{strings.Replace(example, "epsilon:", "epsilom:", 1), false},
		{strings.Replace(example, "owner:", "ownr:", 1), false},
		{strings.Replace(example, "drop: [", "drop: [3, ", 1), false},
		{example + "floor-rank: best\n", false},
		{example + "overwrite: \"yes\"\n", false},
		{example + "test-seed: 1\n", false},
		{example + "config: other.yaml\n", false},
	} {
		var v map[string]any
		if err := yaml.Load([]byte(c.text), &v); err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(any(v)); (err == nil) != c.valid {
			t.Errorf("the schema says %v of\n%s", err, c.text)
		}
		if _, err := job.Parse("job.yaml", []byte(c.text), everyJobKey()); (err == nil) != c.valid {
			t.Errorf("the parser says %v of\n%s", err, c.text)
		}
	}
}

func everyJobKey() []job.Key {
	var all []*cli.Command
	for _, make := range commands {
		all = append(all, make())
	}
	return jobKeys(all)
}

// jobExample is the first job file of docs/jobfile.md.
func jobExample(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile("../../docs/jobfile.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range fences(string(page)) {
		if f.file == "job.yaml" {
			return f.body
		}
	}
	t.Fatal("docs/jobfile.md shows no job.yaml")
	return ""
}
