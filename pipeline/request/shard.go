package request

import (
	"strconv"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/fault"
)

// A Shard is a part of the files of a data set; the zero value is all of them.
type Shard struct{ I, N int }

// mostShards bounds how many shards there are.
const mostShards = 1 << 20

// ParseShard is the shard that is asked for.
func (o *Options) ParseShard() (s Shard, err error) {
	if o.Shard == "" {
		return s, nil
	}
	first, last, ok := strings.Cut(o.Shard, "/")
	i, errI := strconv.Atoi(first)
	n, errN := strconv.Atoi(last)
	if !ok || errI != nil || errN != nil || i < 1 || i > n || n > mostShards {
		return s, fault.New(fault.Usage, "give --shard 3/7 for the third of seven", "--shard %q is not a part", o.Shard)
	}
	return Shard{i, n}, nil
}

// ofFinish are the options that are for the release that the shards are finished to.
var ofFinish = []string{"report", "previous", "sign", "joint-epsilon", "confidence"}

// unsharded are the options that a shard does not take.
var unsharded = append([]string{"ledger", "record-id", "person", "test-seed"}, ofFinish...)

// checkShard refuses what does not go with a shard, or with what shards are finished by.
func (o *Options) checkShard(command string) (faults []*fault.Fault) {
	if command == "finish" || command == "apply" && o.Shard != "" {
		faults = found([]conflict{
			{o.RunKey == "" || o.RunID == "", "give --run-key run.key and --run-id 2026-11-23 or another name, the same for all",
				"shards need --run-key and --run-id: all of them, and each that is repeated, draw the same"},
			{len(o.Columns) > 0, "give one --plan", "shards take one private column"},
			{o.Memoised() || o.Ledger != "", "release the files one by one, or the folder in one run",
				"shards do not go with record ids and ledgers"},
		})
	}
	if o.Shard == "" {
		return append(faults, found([]conflict{{o.Detached && command != "finish", "remove it, or give --shard",
			"--detached is for steps with --shard: others go on anyway"}})...)
	}
	_, err := o.ParseShard()
	faults = fault.And(faults, err)
	for _, name := range unsharded {
		t := Find(name)
		if !has(t.In, command) || !given(t.in(o)) || name == "report" && o.Report == ReportOf(o.Output) {
			continue
		}
		faults = append(faults, fault.New(fault.Usage, "give it to tacet finish", "--%s does not go with --shard", name))
	}
	return faults
}
