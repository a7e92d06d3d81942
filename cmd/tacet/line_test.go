package main

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
)

// TestSlowManyValues: more numbers on a line, values of a list that closes, or places than the
// optimum takes have a design, which is verified without a table and can be used again.
func TestSlowManyValues(t *testing.T) {
	t.Parallel()
	const letters = 3170 // more than order.csv has a table for
	dir := t.TempDir()
	var held, list []string
	places := "label,latitude,longitude\n"
	for i := range letters { // a spiral over the sphere
		label, z := fmt.Sprint(3*i+i%2), 1-(2*float64(i)+1)/letters
		list = append(list, label)
		places += fmt.Sprintf("%s,%.5f,%.5f\n", label, math.Asin(z)*180/math.Pi, math.Mod(float64(i)*137.50776, 360)-180)
		for range 1 + i*i%7*(i%3)*5 {
			held = append(held, label)
		}
	}
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(held), func(i, j int) { held[i], held[j] = held[j], held[i] })
	file := func(name, text string) string { return writeFile(t, filepath.Join(dir, name), []byte(text)) }
	input := file("in.csv", "at\n"+strings.Join(held, "\n")+"\n")
	for order, want := range map[string]string{
		"numeric": "grouped", "circular:@" + file("steps.txt", strings.Join(list, "\n")+"\n"): "safe",
		"positions:" + file("places.csv", places): "safe",
	} {
		form, _, _ := strings.Cut(order, ":")
		output, report := filepath.Join(dir, form+".csv"), filepath.Join(dir, form)
		tacet(t, "run", "--input", input, "--column", "at", "--utility", order, "--max-factor", "5",
			"--max-shift", "none", "--solve-time", "10s", "--output", output, "--report", report).want(t, 0)
		var plan struct{ Design struct{ Kind string } }
		must(t, json.Unmarshal(readFile(t, filepath.Join(report, "plan.json")), &plan))
		if plan.Design.Kind != want {
			t.Errorf("%s: the plan is of design %s", form, plan.Design.Kind)
		}
		checked := tacet(t, "verify", "--output", output, "--report", filepath.Join(report, "report.json"), "--input", input)
		if checked.want(t, 0); strings.Contains(checked.stdout, "FAILED") ||
			!strings.Contains(checked.stdout, "the worst that any row gives is rank") {
			t.Error(checked.stdout)
		}
		tacet(t, "apply", "--plan", filepath.Join(report, "plan.json"), "--input", input, "--output",
			filepath.Join(dir, form+"-again.csv")).want(t, 0)
	}
}
