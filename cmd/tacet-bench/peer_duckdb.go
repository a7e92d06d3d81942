package main

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"strings"

	_ "github.com/duckdb/duckdb-go/v2"
)

// duckdbJoin is the fastest form that was found: a join on value and random
// slot. DuckDB keeps the order of rows through a join at one thread only.
func duckdbJoin(ctx context.Context, e errand) error {
	return e.duckdb(ctx, quoted(e.Input), "", "")
}

// duckdbOrdered sorts by the number of the row, which was the fastest of five
// forms that keep the order at two threads.
func duckdbOrdered(ctx context.Context, e errand) error {
	return e.duckdb(ctx, quoted(e.Input)+", file_row_number = true", ", file_row_number", " ORDER BY a.file_row_number")
}

func (e errand) duckdb(ctx context.Context, from, without, order string) error {
	setup := []string{"CREATE TABLE slots AS SELECT * FROM read_parquet(" + quoted(slotsOf(e.Plan)) + ")"}
	var slots int
	if err := query(ctx, e.Threads, nil, "SELECT max(slot) + 1 FROM read_parquet("+quoted(slotsOf(e.Plan))+")",
		&slots); err != nil {
		return err
	}
	column := `"` + e.Column + `"`
	return query(ctx, e.Threads, setup, fmt.Sprintf(
		`COPY (SELECT a.* EXCLUDE (slot%s) REPLACE (s.output AS %s)
			FROM (SELECT *, floor(random() * %d)::BIGINT AS slot FROM read_parquet(%s)) a
			JOIN slots s ON a.%s = s.input AND a.slot = s.slot%s)
		TO %s (FORMAT parquet, COMPRESSION %s)`,
		without, column, slots, from, column, order, quoted(e.Output), e.Codec))
}

// slotsOf is the table of allowed outputs that goes with a plan.
func slotsOf(plan string) string { return strings.TrimSuffix(plan, ".json") + ".slots.parquet" }

// writeSlots makes it, before anything is timed.
func writeSlots(ctx context.Context, e errand) error {
	law, err := readLaw(e.Plan)
	if err != nil {
		return err
	}
	var text strings.Builder
	text.WriteString("input,slot,output\n")
	row, _ := law.slots()
	for x, outputs := range row {
		for k, y := range outputs {
			fmt.Fprintf(&text, "%s,%d,%s\n", law.inputs[x], k, law.outputs[y])
		}
	}
	csv := slotsOf(e.Plan) + ".csv"
	if err := os.WriteFile(csv, []byte(text.String()), 0o666); err != nil {
		return err
	}
	defer os.Remove(csv)
	return query(ctx, 1, nil, fmt.Sprintf(`COPY (SELECT * FROM read_csv(%s, header = true,
		columns = {'input': 'VARCHAR', 'slot': 'BIGINT', 'output': 'VARCHAR'})) TO %s (FORMAT parquet)`, quoted(csv), quoted(slotsOf(e.Plan))))
}

// query runs setup and one statement in a database in memory and reads the
// one row it answers into to.
func query(ctx context.Context, threads int, setup []string, statement string, to ...any) error {
	db, err := sql.Open("duckdb", "")
	if err != nil {
		return fmt.Errorf("opening DuckDB: %w", err)
	}
	defer db.Close()
	c, err := db.Conn(ctx)
	if err != nil {
		return fmt.Errorf("opening DuckDB: %w", err)
	}
	defer c.Close()
	if _, err := c.ExecContext(ctx, fmt.Sprintf("SET threads = %d; BEGIN", max(1, threads))); err != nil {
		return err
	}
	for _, q := range setup {
		if _, err := c.ExecContext(ctx, q); err != nil {
			return err
		}
	}
	if len(to) > 0 {
		return c.QueryRowContext(ctx, statement).Scan(to...)
	}
	_, err = c.ExecContext(ctx, statement)
	return err
}

// quoted is a string as SQL has it.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
