package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
)

// TestSlowManySteps: more numbers on a line, or values of a list that closes, than the optimum
// takes have a design, which is verified without a table.
func TestSlowManySteps(t *testing.T) {
	t.Parallel()
	const letters = 3170 // more than order.csv has a table for
	dir := t.TempDir()
	var held, list []string
	for i := range letters {
		label := fmt.Sprint(3*i + i%2)
		list = append(list, label)
		for range 1 + i*i%7*(i%3)*5 {
			held = append(held, label)
		}
	}
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(held), func(i, j int) { held[i], held[j] = held[j], held[i] })
	input := writeFile(t, filepath.Join(dir, "in.csv"), []byte("at\n"+strings.Join(held, "\n")+"\n"))
	steps := writeFile(t, filepath.Join(dir, "steps.txt"), []byte(strings.Join(list, "\n")+"\n"))
	for _, order := range []string{"numeric", "circular:@" + steps} {
		form, _, _ := strings.Cut(order, ":")
		output, report := filepath.Join(dir, form+".csv"), filepath.Join(dir, form)
		tacet(t, "run", "--input", input, "--column", "at", "--utility", order, "--max-factor", "5",
			"--max-shift", "none", "--solve-time", "30s", "--output", output, "--report", report).want(t, 0)
		var plan struct{ Design struct{ Kind string } }
		if err := json.Unmarshal(readFile(t, filepath.Join(report, "plan.json")), &plan); err != nil {
			t.Fatal(err)
		}
		if want := map[string]string{"numeric": "grouped", "circular": "safe"}[form]; plan.Design.Kind != want {
			t.Errorf("%s: the plan is of design %s", form, plan.Design.Kind)
		}
		checked := tacet(t, "verify", "--output", output, "--report", filepath.Join(report, "report.json"), "--input", input)
		if checked.want(t, 0); !strings.Contains(checked.stdout, "the worst that any row gives is rank 2") {
			t.Error(checked.stdout)
		}
	}
}
