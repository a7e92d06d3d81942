package main

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestSlowMutations: whatever a file holds that a command reads, the command ends soon, takes
// little memory, and blames options, file or promise, never itself or the machine.
func TestSlowMutations(t *testing.T) {
	each := 40
	if n, err := strconv.Atoi(os.Getenv("TACET_TORTURE")); err == nil && n > 1 {
		each = n
	} else if err == nil {
		each = 50_000
	}
	k := newKilledNight(t)
	dir := copyOf(t, k.folder[1])
	for name, text := range map[string]string{
		"rows.csv": "id,x\n1,a\n2,b\n3,\"c\"\n4,d\n5,a\n6,b\n7,a\n", "levels.csv": "a,u,*\nb,u,*\nc,v,*\nd,v,*\n",
		"values.txt": "a\nb\nc\nd\n", "prior.csv": "label,probability\na,0.4\nb,0.3\nc,0.2\nd,0.1\n",
		"job.yaml": "input: in1\ncolumn: x\nutility: ordered:a,b,c,d\nepsilon: 1.2\naudit: off\noverwrite: true\n" +
			"output: o\nreport: r\n",
	} {
		writeFile(t, filepath.Join(dir, name), []byte(text))
	}
	k.tacet(t, dir, "estimate", "--input", "in1", "--column", "x", "--write-counts", "counts.csv")
	k.tacet(t, dir, "key", "new", "--output", "sign")
	k.tacet(t, dir, "run", "--input", "in1", "--column", "x", "--utility", "ordered:a,b,c,d", "--domain", "values.txt",
		"--design", "safe", "--epsilon", "1.2", "--audit", "off", "--max-shift", "none", "--output", "s", "--report",
		"signed", "--sign", "sign")
	public := inside(dir, os.LookupEnv, []string{"tacet", "key", "show-id", "--key", "sign"})
	writeFile(t, filepath.Join(dir, "public"), []byte(public.stdout))
	run := func(more string) string {
		return "run --input in1 --column x --audit off --epsilon 1.2 --overwrite --output o --report r " + more
	}
	verify := "verify --report signed --input in1 --output s --trust public"
	cases := [][2]string{
		{"plan.json", "apply --plan plan.json --input in1 --output o --report r --overwrite --audit off"},
		{"order.csv", "apply --plan plan.json --input in1 --output o --report r --overwrite --audit off"},
		{"key", "key show-id --key key"}, {"sign", "key show-id --key sign"},
		{"counts.csv", "design --counts counts.csv --column x --utility any --epsilon 1 --write-plan p --overwrite"},
		{"levels.csv", run("--utility hierarchy:levels.csv")}, {"values.txt", run("--utility any --domain values.txt")},
		{"values.txt", run("--utility ordered:@values.txt")}, {"prior.csv", run("--utility any --prior prior.csv")},
		{"job.yaml", "run --config job.yaml"}, {"rows.csv", "inspect --input rows.csv"},
		{"rows.csv", "estimate --input rows.csv --column x --null draw --write-counts c --overwrite"},
		{"in1", "estimate --input in1 --column x --null draw --write-counts c --overwrite"}, {"in1", "inspect --input in1"},
		{"signed/public/mechanism.json", "recover --input s --column x --mechanism signed/public/mechanism.json"},
		{"signed/report.json", verify},
		{"signed/plan.json", verify}, {"signed/release.json", verify}, {"signed/release.json.minisig", verify},
		{"public", verify},
		{"ledger", "ledger --ledger ledger verify"}, {"ledger", "ledger --ledger ledger export"},
		{"report/plan.json", "verify --report report --input in1 --output out"},
	}
	for n, c := range cases {
		t.Run(c[0]+" "+strings.Fields(c[1])[0], func(t *testing.T) {
			file, args := filepath.Join(dir, c[0]), append([]string{"tacet"}, strings.Fields(c[1])...)
			whole := content(t, file)
			if done := inside(dir, os.LookupEnv, args); done.code != 0 {
				t.Errorf("control: %s: %s", c[1], done.stderr)
			}
			rng, seen := rand.New(rand.NewPCG(34, uint64(len(c[1])))), [7]int{}
			tried := 0
			for range within(t, each, len(cases)-n) {
				tried++
				writeFile(t, file, mutated(rng, whole))
				var was, is runtime.MemStats
				runtime.ReadMemStats(&was)
				start := time.Now()
				done := inside(dir, os.LookupEnv, args)
				took := time.Since(start)
				runtime.ReadMemStats(&is)
				if used := is.TotalAlloc - was.TotalAlloc; !slices.Contains([]int{0, 2, 3, 4}, done.code) ||
					took > 20*time.Second || used > 1<<30 ||
					done.code > 0 && !messages.MatchString(progressLine.ReplaceAllString(done.stderr, "")) {
					t.Errorf("%s: exit code %d after %v, %d MiB: %.300s", c[1], done.code, took, used>>20, done.stderr)
					if os.Getenv("TACET_TORTURE") != "" {
						kept, _ := os.CreateTemp("", "mutated-*")
						kept.Write(content(t, file))
						kept.Close()
					}
				}
				seen[min(done.code, 6)]++
			}
			writeFile(t, file, whole)
			t.Logf("torture: %d mutations, by exit code %v", tried, seen)
		})
	}
}

// mutated is a file with a few changes: bits, bytes, numbers at the edge, pieces left out or twice.
func mutated(rng *rand.Rand, whole []byte) []byte {
	data := bytes.Clone(whole)
	for range 1 + rng.IntN(2) {
		at := rng.IntN(len(data))
		piece := data[at:min(len(data), at+1+rng.IntN(30))]
		switch rng.IntN(11) {
		case 0, 1, 2:
			data[at] ^= 1 << rng.IntN(8)
		case 3, 4:
			data[at] = byte(rng.Uint32())
		case 5, 6:
			data[at] = []byte("0919-,.\"\n{}[]\xff\x00\x7f\x80")[rng.IntN(17)]
		case 7, 8:
			data = slices.Delete(data, at, min(at+len(piece), len(data)-1))
		case 9:
			data = slices.Insert(data, at, bytes.Clone(piece)...)
		default:
			data = data[:max(1, at)]
		}
	}
	return data
}
