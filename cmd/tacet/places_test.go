package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
)

// TestSlowManyPlaces: with more places than the optimum takes there is a design all the same; it
// is verified without a table, and can be used again.
func TestSlowManyPlaces(t *testing.T) {
	t.Parallel()
	const letters = 3170 // more than order.csv has a table for
	places, rows := []byte("label,latitude,longitude\n"), []byte("id,place\n")
	var held []int
	for i := range letters { // a spiral over the sphere
		z := 1 - (2*float64(i)+1)/letters
		places = fmt.Appendf(places, "p%04d,%.5f,%.5f\n", i, math.Asin(z)*180/math.Pi, math.Mod(float64(i)*137.50776,
			360)-180)
		for range 1 + i*i%7*(i%3)*5 {
			held = append(held, i)
		}
	}
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(held), func(i, j int) { held[i], held[j] = held[j], held[i] })
	for id, i := range held {
		rows = fmt.Appendf(rows, "%d,p%04d\n", id, i)
	}
	dir, given := t.TempDir(), t.TempDir()
	input := writeFile(t, filepath.Join(given, "in.csv"), rows)
	order := "positions:" + writeFile(t, filepath.Join(given, "places.csv"), places)
	output, report := filepath.Join(dir, "out.csv"), filepath.Join(dir, "out.report")
	column := []string{"--input", input, "--column", "place", "--keep", "id", "--utility", order, "--max-factor", "20",
		"--max-shift", "none"}
	tacet(t, append([]string{"run", "--output", output}, column...)...).want(t, 0)
	checked := tacet(t, "verify", "--output", output, "--input", input)
	if checked.want(t, 0); strings.Contains(checked.stdout, "FAILED") ||
		!strings.Contains(checked.stdout, "the worst that any row gives is rank") {
		t.Error(checked.stdout)
	}
	tacet(t, "apply", "--plan", filepath.Join(report, "plan.json"), "--input", input, "--keep", "id",
		"--output", filepath.Join(dir, "again.csv")).want(t, 0)
}
