// Command tacet-beam runs a release of many files on Apache Beam: it spreads the shards
// of tacet estimate and tacet apply over the workers of a runner, and ends with tacet
// finish. All that decides or draws is the program tacet, which every worker starts. It
// is a module of its own, since Beam is ten times tacet's own libraries.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// The exit codes are those of tacet.
const (
	usage       = 2
	environment = 5
	interrupted = 128
)

var (
	config = flag.String("config", "", "job `FILE` of tacet: input, column, order, epsilon, run-key, run-id, output")
	shards = flag.Int("shards", 0, "`NUMBER` of shards, at most as many as there are files")
	work   = flag.String("work", "", "`FOLDER` that all workers see, for counts and plan; what is put there is "+
		"removed again")
	program = flag.String("tacet", "", "`PATH` of tacet on the workers; beside this program unless given")
	timeout = flag.Duration("timeout", 24*time.Hour, "longest `TIME` of the whole, and of each step")
	runner  = flag.String("runner", "prism", "prism, in this process, or universal, at -endpoint")
	verbose = flag.Bool("verbose", false, "print what Beam logs, too")
)

func main() {
	flag.Usage = help
	flag.Parse()
	beam.Init() // does not return where a runner started this program as its worker
	if !*verbose {
		slog.SetDefault(slog.New(slog.DiscardHandler))
	}
	os.Exit(launch())
}

// help prints the flags that are not Beam's.
func help() {
	own := flag.NewFlagSet("tacet-beam", flag.ContinueOnError)
	for _, name := range []string{"config", "runner", "shards", "tacet", "timeout", "verbose", "work"} {
		f := flag.Lookup(name)
		own.Var(f.Value, name, f.Usage)
	}
	fmt.Fprintln(os.Stderr, "tacet-beam -config job.yaml -shards 7 -work /shared/tmp releases a folder of files on "+
		"Apache Beam.")
	own.PrintDefaults()
	fmt.Fprintln(os.Stderr, "Beam's own are taken, too: -endpoint, -environment_type, -environment_config, "+
		"-parallelism, -job_name.")
}

// launch runs the job, and tells of what went wrong in one line.
func launch() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	limited, cancel := context.WithTimeout(ctx, *timeout)
	defer cancel()
	err := release(limited)
	var f *failure
	switch {
	case err == nil:
		return 0
	case ctx.Err() != nil:
		f = &failure{Code: interrupted + int(syscall.SIGINT), What: "interrupted", Hint: "the same command completes what " +
			"is there"}
	case limited.Err() != nil:
		f = &failure{Code: environment, What: fmt.Sprintf("not done within %v", *timeout),
			Hint: "give more with -timeout; the same command completes what is there"}
	case !errors.As(err, &f):
		f = &failure{Code: environment, What: err.Error(), Hint: "look into the log of the runner, or give -verbose"}
	}
	if f.What != "" {
		fmt.Fprintln(os.Stderr, "tacet-beam:", f)
	}
	return f.Code
}

// release spreads the shards, and finishes what they wrote. It ends here, and not on a
// worker: whoever gave the command sees its warnings, and only this machine needs the
// key that signs.
func release(ctx context.Context) error {
	j, err := settle()
	if err != nil {
		return err
	}
	w, err := j.workFolder()
	if err != nil {
		return err
	}
	defer w.remove()
	if err := j.spread(ctx); err != nil {
		if f := w.failure(); f != nil {
			return f
		}
		return err
	}
	c := exec.CommandContext(ctx, j.Tacet, "finish", "--config", j.Config, "--plan", j.plan())
	c.Dir, c.Stdin, c.Stdout, c.Stderr = j.Dir, os.Stdin, os.Stdout, os.Stderr
	c.Cancel = func() error { return c.Process.Signal(syscall.SIGTERM) }
	err = c.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.Exited() {
		return &failure{Code: exit.ExitCode()} // tacet told of it
	}
	return err
}

// settle makes a job of the flags.
func settle() (*Job, error) {
	wrong := func(hint, format string, args ...any) error {
		return &failure{Code: usage, What: fmt.Sprintf(format, args...), Hint: hint}
	}
	switch {
	case flag.NArg() > 0:
		return nil, wrong("the flags of tacet go into the job file", "%q is no flag", flag.Arg(0))
	case *config == "":
		return nil, wrong("give -config job.yaml, with the flags of tacet", "there is no job file")
	case *shards < 1:
		return nil, wrong("give -shards 7, at most as many as there are files", "%d is no number of shards", *shards)
	case *work == "":
		return nil, wrong("give -work /shared/tmp, a folder that all workers see", "there is no folder for counts and plan")
	case *runner != "prism" && *runner != "universal":
		return nil, wrong("give -runner prism or -runner universal", "%q is no runner", *runner)
	}
	j := &Job{Tacet: *program, Config: *config, Shards: *shards, Timeout: *timeout}
	if j.Tacet == "" {
		self, err := os.Executable()
		if err != nil {
			return nil, err
		}
		j.Tacet = filepath.Join(filepath.Dir(self), "tacet")
	}
	var err error
	if j.Dir, err = os.Getwd(); err != nil {
		return nil, err
	}
	if j.Tacet, err = filepath.Abs(j.Tacet); err != nil {
		return nil, err
	}
	j.Work, err = filepath.Abs(*work)
	return j, err
}
