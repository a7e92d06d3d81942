package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

// schedules are the files of docs/nightly that start a job, and lines without which a night may run
// twice, or another way than the pages say.
var schedules = map[string][]string{
	"tacet@.service": {`Type=oneshot`, `Restart=no`, `LimitCORE=0`, `WorkingDirectory=/srv/%i`,
		`ExecStart=tacet run --config job\.yaml`},
	"tacet@.timer": {`OnCalendar=.+`, `WantedBy=timers\.target`},
	"crontab": { // without %, at which cron ends a command
		`\d+ \d+ \* \* \* tacet cd /srv/visits && exec /usr/local/bin/tacet run --config job\.yaml >/dev/null`},
	"cronjob.yaml": {`apiVersion: batch/v1`, `kind: CronJob`, `  schedule: "\S+ \S+ \S+ \S+ \S+"`,
		`  concurrencyPolicy: Forbid.*`, ` +backoffLimit: 0.*`, ` +restartPolicy: Never`,
		` +command: \["tacet", "run", "--config", "job.yaml"\]`, ` +workingDir: /srv/visits`, ` +mountPath: /srv/visits`},
	"airflow_visits.py": {`.*retries=0.*`, `.*max_active_runs=1.*`, `.*catchup=False.*`, `.*tacet run --config job\.yaml.*`},
}

func TestNightly(t *testing.T) {
	dir := t.TempDir()
	for name, lines := range schedules {
		text := string(readFile(t, filepath.Join("../../docs/nightly", name)))
		for _, line := range lines {
			if !regexp.MustCompile(`(?m)^` + line + `$`).MatchString(text) {
				t.Errorf("%s has no line %s", name, line)
			}
		}
		program, err := os.Executable()
		must(t, err)
		writeFile(t, filepath.Join(dir, name), []byte(strings.ReplaceAll(text, "ExecStart=tacet", "ExecStart="+program)))
	}
	var any map[string]any
	if err := yaml.Unmarshal(readFile(t, filepath.Join(dir, "cronjob.yaml")), &any); err != nil {
		t.Error(err)
	}
	for _, command := range [][]string{{"systemd-analyze", "verify", "--man=no", "tacet@.timer", "tacet@.service"},
		{"python3", "-m", "py_compile", "airflow_visits.py"}} {
		cmd := exec.Command(command[0], command[1:]...)
		cmd.Dir = dir
		if _, err := exec.LookPath(command[0]); err != nil {
			t.Logf("no %s here: only the lines were looked at", command[0])
		} else if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v: %v\n%s", command, err, out)
		}
	}
}
