package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

const nightlyFolder = "../../docs/nightly"

func example(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(nightlyFolder, name))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(data), "visits") {
		t.Errorf("%s is about something else", name)
	}
	return string(data)
}

// unit reads the lines of a systemd unit as section.key.
func unit(t *testing.T, name string) map[string]string {
	t.Helper()
	out, section := map[string]string{}, ""
	line := regexp.MustCompile(`^([A-Za-z]+)=(.+)$`)
	for i, l := range strings.Split(example(t, name), "\n") {
		switch m := line.FindStringSubmatch(l); {
		case l == "" || strings.HasPrefix(l, "#"):
		case strings.HasPrefix(l, "[") && strings.HasSuffix(l, "]"):
			section = l
		case m == nil || section == "" || out[section+m[1]] != "":
			t.Errorf("%s:%d: %q is no setting, or appears twice", name, i+1, l)
		default:
			out[section+m[1]] = m[2]
		}
	}
	return out
}

func TestNightlyUnits(t *testing.T) {
	service, timer := unit(t, "tacet@.service"), unit(t, "tacet@.timer")
	for key, want := range map[string]string{"[Service]Type": "oneshot", "[Service]Restart": "no",
		"[Service]LimitCORE":        "0",
		"[Service]WorkingDirectory": "/srv/%i", "[Service]ExecStart": "tacet run --config job.yaml"} {
		if service[key] != want {
			t.Errorf("%s is %q, want %q", key, service[key], want)
		}
	}
	if timer["[Timer]OnCalendar"] == "" || timer["[Install]WantedBy"] != "timers.target" {
		t.Errorf("the timer is %v", timer)
	}
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Log("no systemd-analyze here: only the settings were checked")
		return
	}
	dir := t.TempDir()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"tacet@.service", "tacet@.timer"} {
		text := strings.ReplaceAll(example(t, name), "ExecStart=tacet", "ExecStart="+program)
		writeFile(t, filepath.Join(dir, name), []byte(text))
	}
	if out, err := exec.Command(analyze, "verify", "--man=no", filepath.Join(dir, "tacet@.timer"),
		filepath.Join(dir, "tacet@.service")).CombinedOutput(); err != nil {
		t.Errorf("systemd-analyze: %v\n%s", err, out)
	}
	if out, err := exec.Command(analyze, "calendar", timer["[Timer]OnCalendar"]).CombinedOutput(); err != nil {
		t.Errorf("systemd-analyze: %v\n%s", err, out)
	}
}

func TestNightlyCronJob(t *testing.T) {
	var job struct {
		APIVersion string `yaml:"apiVersion"`
		Kind       string `yaml:"kind"`
		Metadata   struct {
			Name string `yaml:"name"`
		} `yaml:"metadata"`
		Spec struct {
			Schedule    string `yaml:"schedule"`
			Concurrency string `yaml:"concurrencyPolicy"`
			Job         struct {
				Spec struct {
					Backoff  *int `yaml:"backoffLimit"`
					Template struct {
						Spec struct {
							Restart    string `yaml:"restartPolicy"`
							Containers []struct {
								Command []string `yaml:"command"`
								Dir     string   `yaml:"workingDir"`
								Mounts  []struct {
									Name string `yaml:"name"`
									Path string `yaml:"mountPath"`
								} `yaml:"volumeMounts"`
							} `yaml:"containers"`
							Volumes []struct {
								Name string `yaml:"name"`
							} `yaml:"volumes"`
						} `yaml:"spec"`
					} `yaml:"template"`
				} `yaml:"spec"`
			} `yaml:"jobTemplate"`
		} `yaml:"spec"`
	}
	if err := yaml.Unmarshal([]byte(example(t, "cronjob.yaml")), &job); err != nil {
		t.Fatal(err)
	}
	pod := job.Spec.Job.Spec.Template.Spec
	if job.APIVersion != "batch/v1" || job.Kind != "CronJob" || job.Metadata.Name == "" ||
		len(strings.Fields(job.Spec.Schedule)) != 5 {
		t.Errorf("%+v", job)
	}
	if b := job.Spec.Job.Spec.Backoff; job.Spec.Concurrency != "Forbid" || pod.Restart != "Never" || b == nil || *b != 0 {
		t.Errorf("it may run twice: %+v", job)
	}
	if len(pod.Containers) != 1 || len(pod.Volumes) != 1 {
		t.Fatalf("%+v", pod)
	}
	c := pod.Containers[0]
	if !slices.Equal(c.Command, []string{"tacet", "run", "--config", "job.yaml"}) || len(c.Mounts) != 1 ||
		c.Mounts[0].Name != pod.Volumes[0].Name || c.Mounts[0].Path != c.Dir {
		t.Errorf("%+v", c)
	}
}

func TestNightlyCrontab(t *testing.T) {
	lines := regexp.MustCompile(`(?m)^[^#\n].*$`).FindAllString(example(t, "crontab"), -1)
	if len(lines) != 1 ||
		!regexp.MustCompile(`^\d+ \d+ \* \* \* tacet cd /srv/visits && exec /usr/local/bin/tacet run `+
			`--config job\.yaml >/dev/null$`).MatchString(lines[0]) {
		t.Errorf("%q", lines)
	}
	if strings.Contains(lines[0], "%") {
		t.Error("cron ends a command at %")
	}
}

func TestNightlyOperator(t *testing.T) {
	text := example(t, "airflow_visits.py")
	for _, want := range []string{"retries=0", "max_active_runs=1", "catchup=False", "tacet run --config job.yaml"} {
		if !strings.Contains(text, want) {
			t.Errorf("it lacks %s", want)
		}
	}
	python, err := exec.LookPath("python3")
	if err != nil && os.Getenv("TACET_PYTHON") == "required" {
		t.Fatal("no python3, which TACET_PYTHON requires")
	}
	if err != nil {
		t.Skip("no python3 here: only the words were checked")
	}
	script := writeFile(t, filepath.Join(t.TempDir(), "visits.py"), []byte(text))
	if out, err := exec.Command(python, "-m", "py_compile", script).CombinedOutput(); err != nil {
		t.Errorf("python3: %v\n%s", err, out)
	}
}
