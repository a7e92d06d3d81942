package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// asProgram has the test binary be the program, so that no second one is linked.
const asProgram = "TACET_BEAM_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	os.Exit(m.Run())
}

// tools are tacet, and a folder of 24 files of flights.
func tools(t *testing.T) (tacet, set string) {
	t.Helper()
	dir := t.TempDir()
	tacet, set = filepath.Join(dir, "tacet"), filepath.Join(dir, "set")
	for _, args := range [][]string{
		{"build", "-o", tacet, "./cmd/tacet"},
		{"run", "cmd/tacet-beam/testdata/cut.go", "testdata/tables/flights.parquet", set, "24"},
	} {
		c := exec.Command("go", args...)
		c.Dir = "../.."
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	return tacet, set
}

// A place is a folder with a job file, its data and its key.
type place struct {
	t          *testing.T
	tacet, dir string
}

// places makes places of the same job and key.
func places(t *testing.T) (make func(*testing.T) place) {
	t.Helper()
	tacet, set := tools(t)
	tables, err := filepath.Abs("../../testdata/tables")
	if err != nil {
		t.Fatal(err)
	}
	given := t.TempDir()
	if out, err := exec.Command(tacet, "key", "new", "--type", "run", "--output", filepath.Join(given, "run.key")).
		CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	job := "input: " + set + "\ncolumn: origin\nutility: hierarchy:" + tables + "/regions.csv\nmax-factor: " +
		"12\nrun-key: run.key\nrun-id: one\noutput: out\nreport: report\ndrop: [destination, distance]\naudit: \"off\"\n"
	return func(t *testing.T) place {
		p := place{t, tacet, t.TempDir()}
		p.write("job.yaml", job)
		for _, err := range []error{os.Mkdir(p.at("work"), 0o700),
			os.Link(filepath.Join(given, "run.key"), p.at("run.key"))} {
			if err != nil {
				t.Fatal(err)
			}
		}
		return p
	}
}

func (p place) at(name string) string { return filepath.Join(p.dir, name) }

func (p place) write(name, text string) {
	if err := os.WriteFile(p.at(name), []byte(text), 0o700); err != nil {
		p.t.Fatal(err)
	}
}

// one is what one machine publishes.
func (p place) one() map[string]string {
	p.t.Helper()
	for _, args := range [][]string{{"design", "--write-plan", "plan.json"}, {"apply", "--plan", "plan.json"}} {
		c := exec.Command(p.tacet, append(args, "--config", "job.yaml")...)
		c.Dir = p.dir
		if out, err := c.CombinedOutput(); err != nil {
			p.t.Fatalf("%v: %s", err, out)
		}
	}
	return p.published()
}

// beam is the program with flags behind those of every job.
func (p place) beam(flags ...string) *exec.Cmd {
	c := exec.Command(os.Args[0], append([]string{"-config", "job.yaml", "-work", "work", "-shards", "7", "-tacet",
		p.tacet}, flags...)...)
	c.Dir, c.Env = p.dir, append(os.Environ(), asProgram+"=1")
	return c
}

// run gives exit code, standard output and standard error.
func run(t *testing.T, c *exec.Cmd) (code int, out, told string) {
	t.Helper()
	var o, e bytes.Buffer
	c.Stdout, c.Stderr = &o, &e
	err := c.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return c.ProcessState.ExitCode(), o.String(), e.String()
}

// done is a run that must end well and leave nothing in the folder of its work.
func (p place) done(flags ...string) map[string]string {
	p.t.Helper()
	code, out, told := run(p.t, p.beam(flags...))
	if code != 0 || told != "" || !strings.Contains(out, "written:  out\n") {
		p.t.Fatalf("exit %d\n%s%s", code, out, told)
	}
	p.clean()
	return p.published()
}

// clean fails where something is left in the folder of the work.
func (p place) clean() {
	p.t.Helper()
	if left, err := os.ReadDir(p.at("work")); err != nil || len(left) > 0 {
		p.t.Errorf("left in the folder of the work: %v (%v)", left, err)
	}
}

// planAt is the path of a plan, of which a report tells where it was.
var planAt = regexp.MustCompile(`[^"<>\s]*/plan\.json`)

// published are outputs, plan and report, but for the path of the plan, and for what
// holds the hash of a file with it.
func (p place) published() map[string]string {
	p.t.Helper()
	all := map[string]string{}
	for _, below := range []string{"out", "report"} {
		err := filepath.WalkDir(p.at(below), func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			name, err := filepath.Rel(p.dir, path)
			if err != nil {
				return err
			}
			data, err := os.ReadFile(path)
			all[name] = string(data)
			return err
		})
		if err != nil {
			p.t.Fatal(err)
		}
	}
	all["report/report.json"] = planAt.ReplaceAllString(all["report/report.json"], "plan.json")
	for _, name := range []string{"report.html", "report.txt", "release.json", "public/release.json"} {
		if all["report/"+name] == "" {
			p.t.Fatalf("there is no %s", name)
		}
		all["report/"+name] = ""
	}
	return all
}

func same(t *testing.T, got, want map[string]string) {
	t.Helper()
	if names := slices.Sorted(maps.Keys(got)); !slices.Equal(names, slices.Sorted(maps.Keys(want))) {
		t.Fatalf("it published %v", names)
	}
	for name, data := range want {
		if got[name] != data {
			t.Errorf("%s holds other bytes than that of one machine", name)
		}
	}
}

// A release on Prism is that of one machine; so is the next after one that was killed,
// or a step of which was. What fails for good is told once.
func TestPrism(t *testing.T) {
	make := places(t)
	want := make(t).one()
	if len(want) < 24+10 {
		t.Fatalf("control: %d files", len(want))
	}
	t.Run("release", func(t *testing.T) {
		p := make(t)
		same(t, p.done(), want)
		code, _, told := run(t, p.beam())
		if code != 2 || !strings.Contains(told, "exists") || strings.Count(told, "\n") != 1 {
			t.Errorf("the same again: exit %d\n%s", code, told)
		}
		if waiting, _ := filepath.Glob(p.at("out/.tacet-shards-*")); len(waiting) > 0 {
			t.Errorf("the same again: drew into %q", waiting)
		}
		same(t, p.published(), want)
		p.clean()
	})
	t.Run("killed", func(t *testing.T) { killed(t, make(t), want) })
	t.Run("step killed", func(t *testing.T) {
		p := make(t)
		p.write("dies", "#!/bin/sh\n[ \"$1\" = apply ] && kill -9 $$\nexec "+p.tacet+" \"$@\"\n")
		code, _, told := run(t, p.beam("-tacet", p.at("dies")))
		if code != 5 || !strings.HasPrefix(told, "tacet-beam: draw of shard ") || !strings.Contains(told, "signal: killed") ||
			strings.Count(told, "\n") != 1 {
			t.Errorf("exit %d\n%s", code, told)
		}
		p.clean()
		same(t, p.done(), want)
	})
	for name, c := range map[string]struct {
		job   string
		flags []string
		code  int
		told  string
	}{
		"no column": {"column: origin", nil, 3, " has no column \"orgin\" (and 6 more); hint: did you mean origin"},
		"no plan":   {"max-factor: 12", nil, 2, "plan: "},
		"no draw":   {"run-id: one", nil, 2, "draw of shard 1: "},
		"no finish": {"report: report", nil, 3, "tacet: the key file given to --sign cannot be read"},
		"too many":  {"", []string{"-shards", "25"}, 2, "count of shard 1: --shard 1/25 would have no files: "},
		"no tacet":  {"", []string{"-tacet", "/none"}, 5, "count of shard 1: /none does not start (and 6 more)"},
		"time":      {"", []string{"-timeout", "1ms"}, 5, "not done within 1ms; hint: "},
		"flags":     {"", []string{"-shards", "0"}, 2, "0 is no number of shards; hint: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := make(t)
			if c.job != "" {
				job, err := os.ReadFile(p.at("job.yaml"))
				if err != nil {
					t.Fatal(err)
				}
				wrong := map[string]string{"column: origin": "column: orgin", "max-factor: 12": "max-factor: 0", "run-id: one": "",
					"report: report": "report: report\nsign: none.key"}[c.job]
				p.write("job.yaml", strings.Replace(string(job), c.job, wrong, 1))
			}
			code, _, told := run(t, p.beam(c.flags...))
			if code != c.code || !strings.Contains(told, c.told) || !strings.Contains(told, "; hint: ") ||
				strings.Count(told, "\n") != 1 {
				t.Errorf("exit %d, want %d with %q\n%s", code, c.code, c.told, told)
			}
			p.clean()
		})
	}
}

// killed kills the program, which is the worker, too, while a shard is drawn: the step
// goes with it, and the same again ends with what one machine publishes.
func killed(t *testing.T, p place, want map[string]string, flags ...string) {
	t.Helper()
	p.write("slow", "#!/bin/sh\n[ \"$1$3\" = apply4/7 ] && { mkfifo hold; echo $$ > pid; touch there; "+
		"read _ < hold; }\nexec "+p.tacet+" \"$@\"\n")
	c := p.beam(append(flags, "-tacet", p.at("slow"))...)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer c.Process.Kill()
	drawn := func() int {
		found, _ := filepath.Glob(p.at("out/.tacet-shards-*/dt=*/*"))
		return len(found)
	}
	until(t, "the draw of a shard", func() bool { return exists(p.at("there")) && drawn() > 0 })
	if len(flags) == 0 {
		local(t, c.Process.Pid)
	}
	if code, _, told := run(t, p.beam(flags...)); code != 5 || !strings.Contains(told, "under way; hint: ") {
		t.Errorf("another run at once: exit %d\n%s", code, told)
	}
	step, err := os.ReadFile(p.at("pid"))
	if err != nil {
		t.Fatal(err)
	}
	c.Process.Kill()
	c.Wait()
	until(t, "the end of the step with its worker",
		func() bool { return !exists("/proc/" + strings.TrimSpace(string(step))) })
	if drawn() == 24 {
		t.Error("control: all files were drawn when it was killed")
	}
	same(t, p.done(flags...), want)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for began := time.Now(); !ok(); time.Sleep(10 * time.Millisecond) {
		if time.Since(began) > 3*time.Minute {
			t.Fatalf("%s does not come", what)
		}
	}
}

// local holds every socket on which a process listens to this machine: connections to
// other addresses than the loopback's are refused, also from here.
func local(t *testing.T, pid int) {
	t.Helper()
	ours := map[string]bool{}
	open, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, fd := range open {
		name, _ := os.Readlink(fd)
		ours[strings.TrimSuffix(strings.TrimPrefix(name, "socket:["), "]")] = true
	}
	others, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	all := 0
	for _, table := range []string{"tcp", "tcp6"} {
		data, err := os.ReadFile(fmt.Sprintf("/proc/%d/net/%s", pid, table))
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Split(string(data), "\n") {
			f := strings.Fields(line)
			if len(f) < 10 || f[3] != "0A" || !ours[f[9]] { // TCP_LISTEN
				continue
			}
			at, port, _ := strings.Cut(f[1], ":")
			number, err := strconv.ParseUint(port, 16, 16)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Trim(at, "0") == "" {
				all++
				if !answers("127.0.0.1", number) {
					t.Errorf("control: port %d does not answer", number)
				}
			}
			for _, a := range others {
				ip := a.(*net.IPNet).IP
				if !ip.IsLoopback() && answers(ip.String(), number) {
					t.Errorf("port %d answers at %s", number, ip)
				}
			}
		}
	}
	if all == 0 {
		t.Error("control: no socket of Prism listens on all interfaces, so nothing is tested")
	}
}

func answers(ip string, port uint64) bool {
	c, err := net.DialTimeout("tcp", net.JoinHostPort(ip, strconv.FormatUint(port, 10)), time.Second)
	if err == nil {
		c.Close()
	}
	return err == nil
}
