package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

// TestSlowSchedulers runs the tasks of docs/shards as they stand, with the variables that
// each scheduler sets, in other orders; all of them are finished to the same files.
func TestSlowSchedulers(t *testing.T) {
	task := func(name string) string { return string(readFile(t, "../../docs/shards/"+name)) }
	regions, err := filepath.Abs("../../testdata/tables/regions.csv")
	must(t, err)
	dir, keys := t.TempDir(), t.TempDir()
	data := readFile(t, "../../testdata/tables/flights.parquet")
	for i := range 9 {
		name := filepath.Join(dir, "visits", fmt.Sprintf("dt=%d", i%2), fmt.Sprintf("%d.parquet", i))
		must(t, os.MkdirAll(filepath.Dir(name), 0o777))
		writeFile(t, name, data)
	}
	sh := func(command string, env ...string) {
		t.Helper()
		cmd := exec.Command("sh", "-c", strings.ReplaceAll(command, "/keys/", keys+"/"))
		cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", command, err, out)
		}
	}
	sh("tacet key new --type run --output /keys/run.key")
	sh("tacet estimate --input visits --column origin --write-counts counts.csv")
	sh("tacet design --counts counts.csv --column origin --utility hierarchy:" + regions + " --max-factor 12 " +
		"--write-plan plan.json")

	var job struct {
		APIVersion string `yaml:"apiVersion"`
		Kind       string
		Spec       struct {
			CompletionMode   string `yaml:"completionMode"`
			Completions      int
			PodFailurePolicy struct {
				Rules []struct {
					OnExitCodes struct{ Values []int } `yaml:"onExitCodes"`
				}
			} `yaml:"podFailurePolicy"`
			Template struct {
				Spec struct {
					Containers []struct {
						Command, Args []string
						WorkingDir    string `yaml:"workingDir"`
					}
				}
			}
		}
	}
	must(t, yaml.Unmarshal([]byte(task("job.yaml")), &job))
	spec := job.Spec
	if job.APIVersion != "batch/v1" || job.Kind != "Job" || spec.CompletionMode != "Indexed" || spec.Completions != 7 ||
		fmt.Sprint(spec.PodFailurePolicy.Rules[0].OnExitCodes.Values) != "[1 2 3 4]" {
		t.Errorf("the manifest is %+v", job)
	}
	pod := spec.Template.Spec.Containers[0]
	if fmt.Sprint(pod.Command) != "[sh -c]" || pod.WorkingDir != "/data" {
		t.Errorf("the container is %+v", pod)
	}
	bash := regexp.MustCompile(`bash_command="(.*) "\n +"(.*)",\n`).FindStringSubmatch(task("dag.py"))
	if bash == nil {
		t.Fatal("no bash_command")
	}
	var first map[string]string
	for _, c := range []struct {
		name string
		run  func(i int) // from 1
	}{
		{"kubernetes", func(i int) { sh(pod.Args[0], fmt.Sprint("JOB_COMPLETION_INDEX=", i-1)) }},
		{"slurm", func(i int) {
			sh(task("array.sh"), fmt.Sprint("SLURM_ARRAY_TASK_ID=", i), "SLURM_ARRAY_TASK_COUNT=7", "SLURM_CPUS_PER_TASK=2")
		}},
		{"airflow", func(i int) { sh(bash[1]+" "+bash[2], fmt.Sprintf("SHARD=%d/7", i)) }},
	} {
		for _, i := range []int{4, 7, 1, 2, 6, 4, 3, 5} { // one of them a second time
			c.run(i)
		}
		sh("tacet finish --input visits --plan plan.json --run-key /keys/run.key --run-id 2026-11-23 " +
			"--drop destination,distance --output published --audit off --report " + c.name)
		got := snapshot(t, filepath.Join(dir, "published"))
		if len(got) != 9 {
			t.Errorf("%s: %d files", c.name, len(got))
		}
		if first == nil {
			first = got
		}
		for name, want := range first {
			if got[name] != want {
				t.Errorf("%s: %s holds other bytes", c.name, name)
			}
		}
		must(t, os.RemoveAll(filepath.Join(dir, "published")))
	}
}
