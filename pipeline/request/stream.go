package request

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/fault"
)

// Standard is standard input as --input, and standard output as --output.
const Standard = "-"

// streamed are the options that go with a stream.
const streamed = "config input output plan part-of-plan run-key run-id shard keep drop keep-metadata allow threads " +
	"log-format overwrite hash"

// notStreamed says why, of options that people would expect to go with a stream. Any
// other is about a report, a ledger or a judgement of the other columns.
var notStreamed = map[string]string{
	"report":    "a stream has no report: every run over a stream is a part that nobody counted",
	"record-id": "draws by id are for files",
	"key-file":  "draws by id are for files",
	"person":    "draws by id are for files",
	"test-seed": "nothing would say in the stream that its draws are those of a test",
}

// Streams reports whether an Arrow IPC stream is read and written.
func (o *Options) Streams() bool { return o.Input == Standard && o.Output == Standard }

// checkStream refuses what does not go with standard input or output.
func (o *Options) checkStream(command string) (faults []*fault.Fault) {
	switch {
	case o.Input != Standard && o.Output != Standard:
		return nil
	case o.Input != Standard:
		return []*fault.Fault{fault.New(fault.Usage, "give a file to --output",
			"--output - is for streams alone: tacet apply with --input -")}
	case command != "apply" || !o.Streams():
		return []*fault.Fault{ReadOnce()}
	case !o.PartOfPlan:
		faults = append(faults, fault.New(fault.Usage,
			"give --part-of-plan: epsilon is then that of the whole data which the "+
				"plan was made from", "--input - needs --part-of-plan: whether the plan keeps epsilon for a stream alone is known "+
				"only after it has gone out"))
	}
	faults = append(faults, found([]conflict{
		{len(o.Columns) > 0, "give one --plan", "--input - takes one private column"},
		{o.RunKey != "" && o.Shard == "", "give --shard 3/7 to the third of seven streams",
			"--run-key with --input - needs --shard: no two streams of a run may have one name"},
	})...)
	allowed := strings.Fields(streamed)
	for _, t := range For(command) {
		if t.Field == "" || slices.Contains(allowed, t.Name) || !given(t.in(o)) {
			continue
		}
		if text, _ := t.Text(o); text != "" && (text == t.Default || t.Name == "audit" && text == "off") {
			continue
		}
		why := notStreamed[t.Name]
		if why == "" {
			why = "a stream has no report, and nothing of its other columns is judged"
		}
		faults = append(faults, fault.New(fault.Usage, "remove --"+t.Name+", or give files",
			"--%s does not go with --input -: %s",
			t.Name, why))
	}
	return faults
}

// ReadOnce refuses standard input in place of a file.
func ReadOnce() *fault.Fault {
	return fault.New(fault.Usage, fmt.Sprintf("write the data to a file first, and name that; an Arrow stream can "+
		"follow a plan: tacet apply --plan plan.json --part-of-plan --input %[1]s --output %[1]s", Standard),
		"--input - is no file: the input is read twice, and standard input can be read once")
}
