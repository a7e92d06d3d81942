package main

import (
	"database/sql"
	"fmt"
	"math"
	"path/filepath"
	"testing"
)

// TestSharesByDuckDB counts a column that was published within a shift of 5 points, as
// whoever downloads it would: the share of every airport and of every state is within
// that limit and four standard errors of the truth.
func TestSharesByDuckDB(t *testing.T) {
	const limit = .05
	dir := t.TempDir()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	tables := filepath.Join(root, "testdata", "tables")
	flights, airports := filepath.Join(tables, "flights.parquet"), filepath.Join(tables, "airports.csv")
	tacet, output := filepath.Join(dir, "tacet"), filepath.Join(dir, "output.parquet")
	succeeds(t, root, "go", "build", "-o", tacet, "./cmd/tacet")
	succeeds(t, root, tacet, "run", "--input", flights, "--column", "origin", "--utility", "positions:"+airports,
		"--keep", "date", "--max-factor", "4", "--max-shift", fmt.Sprint(limit), "--output", output,
		"--report", filepath.Join(dir, "report"))
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, by := range []string{"iata", "state"} {
		counts := func(file string) string {
			return fmt.Sprintf(`SELECT %s AS key, count(*) AS n FROM read_parquet(%s) JOIN read_csv(%s) ON origin = iata
				GROUP BY 1`, by, quoted(file), quoted(airports))
		}
		rows, err := db.QueryContext(t.Context(), fmt.Sprintf(
			`SELECT coalesce(a.n, 0) / sum(a.n) OVER (), coalesce(b.n, 0) / sum(b.n) OVER (), sum(b.n) OVER ()::BIGINT
				FROM (%s) a FULL JOIN (%s) b USING (key)`, counts(flights), counts(output)))
		if err != nil {
			t.Fatal(err)
		}
		keys, worst := 0, 0.0
		for ; rows.Next(); keys++ {
			var truth, seen float64
			var n int64
			if err := rows.Scan(&truth, &seen, &n); err != nil {
				t.Fatal(err)
			}
			if n != 200_000 {
				t.Fatalf("%d rows have a %s, want 200,000", n, by)
			}
			off := math.Abs(seen-truth) - 4*math.Sqrt(seen*(1-seen)/float64(n))
			if worst = max(worst, off); !(off <= limit) {
				t.Errorf("a share by %s is %.4f, and was %.4f", by, seen, truth)
			}
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		if keys < 40 {
			t.Errorf("%d keys by %s", keys, by)
		}
		t.Logf("by %s: %d keys, off by at most %.4f beyond sampling", by, keys, worst)
	}
}
