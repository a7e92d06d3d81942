package main

import (
	"bytes"
	"encoding/base64"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// opened are the packages that Flink's serialisers look into.
const opened = "lang lang.invoke lang.reflect util util.concurrent util.concurrent.atomic nio time math text net io"

// jobServer starts the job server of Flink from a folder of jars. It listens on all
// interfaces: make flink gives it a network of its own.
func jobServer(t *testing.T, jars string) (flags []string, log func() []byte) {
	t.Helper()
	dir := t.TempDir()
	said := filepath.Join(dir, "log")
	out, err := os.Create(said)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	args := []string{"-Xmx2g", "-Djava.io.tmpdir=" + dir, "-cp", jars + "/*",
		"-Dorg.slf4j.simpleLogger.log.org.apache.beam.runners.jobsubmission=trace"} // the job with its fields
	for _, name := range strings.Fields(opened) {
		args = append(args, "--add-opens=java.base/java."+name+"=ALL-UNNAMED")
	}
	c := exec.Command("java", append(args, "org.apache.beam.runners.flink.FlinkJobServerDriver", "--job-host=localhost",
		"--job-port=0", "--artifact-port=0", "--expansion-port=0", "--flink-master=[local]", "--artifacts-dir="+dir)...)
	c.Stdout, c.Stderr = out, out
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Process.Kill()
		c.Wait()
	})
	log = func() []byte {
		data, err := os.ReadFile(said)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	var at [][]byte
	until(t, "the job server", func() bool {
		at = regexp.MustCompile(`JobService started on (localhost:\d+)`).FindSubmatch(log())
		return at != nil
	})
	return []string{"-runner", "universal", "-endpoint", string(at[1]), "-environment_type", "LOOPBACK"}, log
}

// A release on Flink is that of one machine, and so is the next after one that was
// killed. The job server, which logs the whole job, sees nothing of the data or the key.
func TestFlink(t *testing.T) {
	jars := os.Getenv("TACET_FLINK")
	if jars == "" {
		t.Skip("make flink fetches the job server of Flink")
	}
	make := places(t)
	want := make(t).one()
	flags, log := jobServer(t, jars)
	p := make(t)
	for range 3 {
		began := time.Now()
		same(t, p.done(flags...), want)
		t.Logf("a release in %v", time.Since(began).Round(100*time.Millisecond))
		for _, name := range []string{"out", "report"} {
			if err := os.RemoveAll(p.at(name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	killed(t, make(t), want, flags...)
	code, _, told := run(t, make(t).beam(append(flags, "-shards", "25")...))
	if code != 2 || !strings.Contains(told, "count of shard 1: --shard 1/25 would have no files: ") ||
		strings.Count(told, "\n") != 1 {
		t.Errorf("a failure for good: exit %d\n%s", code, told)
	}
	key, err := os.ReadFile(p.at("run.key"))
	if err != nil {
		t.Fatal(err)
	}
	secret := key[bytes.LastIndex(key, []byte(": "))+2:]
	said := plain(log())
	for _, never := range []string{strings.TrimSpace(string(secret)), "ATL", "origin"} {
		if strings.Contains(said, never) {
			t.Errorf("the job server logs what is not for it: %d bytes", len(never))
		}
	}
	if !strings.Contains(said, `"Config":"job.yaml"`) {
		t.Error("control: the job server does not log the fields of the job, so nothing is tested")
	}
}

// plain is a log with what it has in base64, where fields of a job stand.
func plain(log []byte) string {
	said := regexp.MustCompile(`\\[0-7]{3}|\\.`).ReplaceAllString(string(log), " ")
	var all strings.Builder
	all.WriteString(said)
	for range 2 { // a payload stands in a payload
		var inner strings.Builder
		for _, coded := range regexp.MustCompile(`[A-Za-z0-9+/]{24,}`).FindAllString(said, -1) {
			data, err := base64.RawStdEncoding.DecodeString(coded)
			if err == nil {
				inner.Write(append(data, '\n'))
			}
		}
		said = inner.String()
		all.WriteString(said)
	}
	return all.String()
}
