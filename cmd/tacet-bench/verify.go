package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
)

// verify checks what a contender wrote to e.Output from e.Input: as many
// rows; every other column the same, row by row, so the order is kept; every
// draw inside the support. Codec "any" allows another order of rows and
// looks at their number and at the outputs alone.
func verify(ctx context.Context, e errand) error {
	law, err := readLaw(e.Plan)
	if err != nil {
		return err
	}
	if e.Codec == "arrow" {
		return e.verifyArrow(law)
	}
	db, err := sql.Open("duckdb", "")
	if err != nil {
		return err
	}
	defer db.Close()
	from, to := "read_parquet("+quoted(e.Input)+")", "read_parquet("+quoted(e.Output)+")"
	moved, err := differences(ctx, db, from, append(e.Redrawn, e.Column))
	if err != nil {
		return err
	}
	pairs := fmt.Sprintf(`SELECT i."%[1]s", o."%[1]s", count(*), count(*) FILTER (%[4]s)
		FROM %[2]s i POSITIONAL JOIN %[3]s o GROUP BY ALL`, e.Column, from, to, moved)
	if e.Codec == "any" {
		pairs = fmt.Sprintf(`SELECT "%[1]s", NULL, count(*), 0 FROM %[2]s GROUP BY ALL
			UNION ALL SELECT NULL, "%[1]s", count(*), 0 FROM %[3]s GROUP BY ALL`, e.Column, from, to)
	}
	rows, err := db.QueryContext(ctx, pairs)
	if err != nil {
		return err
	}
	defer rows.Close()
	t := newPairTally(law)
	for rows.Next() {
		var in, out sql.NullString
		var n, moved int64
		if err := rows.Scan(&in, &out, &n, &moved); err != nil {
			return err
		}
		if moved > 0 {
			return errors.New("rows have moved or other columns have changed")
		}
		if err := t.add(in, out, n); err != nil {
			return err
		}
	}
	return errors.Join(rows.Err(), t.check())
}

// differences is a condition on rows i and o: some column beside the private
// ones differs.
func differences(ctx context.Context, db *sql.DB, from string, private []string) (string, error) {
	rows, err := db.QueryContext(ctx, "SELECT column_name FROM (DESCRIBE SELECT * FROM "+from+")")
	if err != nil {
		return "", err
	}
	defer rows.Close()
	condition := "false"
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return "", err
		}
		if !slices.Contains(private, name) {
			condition += fmt.Sprintf(` OR i."%[1]s" IS DISTINCT FROM o."%[1]s"`, name)
		}
	}
	return condition, rows.Err()
}

type pairTally struct {
	*law
	in, out    map[string]int
	rows, outs int64
}

func newPairTally(l *law) *pairTally {
	t := &pairTally{law: l, in: map[string]int{}, out: map[string]int{}}
	for x, label := range l.inputs {
		t.in[label] = x
	}
	for y, label := range l.outputs {
		t.out[label] = y
	}
	return t
}

// add takes n records; a side that is NULL was not looked at.
func (t *pairTally) add(in, out sql.NullString, n int64) error {
	x, known := t.in[in.String]
	y, drawn := t.out[out.String]
	if in.Valid {
		t.rows += n
	}
	if out.Valid {
		t.outs += n
	}
	if in.Valid && !known || out.Valid && !drawn || in.Valid && out.Valid && !t.allows(x, y) {
		return errors.New("a draw is outside the support")
	}
	return nil
}

func (t *pairTally) check() error {
	if t.rows != t.outs || t.rows == 0 {
		return fmt.Errorf("%d rows were read and %d written", t.rows, t.outs)
	}
	return nil
}

// verifyArrow does the same for Arrow IPC files, batch by batch.
func (e errand) verifyArrow(l *law) error {
	in, err := openArrow(e.Input)
	if err != nil {
		return err
	}
	out, err := openArrow(e.Output)
	if err != nil {
		return err
	}
	if in.NumRecords() != out.NumRecords() {
		return errors.New("another number of record batches was written")
	}
	t := newPairTally(l)
	for i := range in.NumRecords() {
		a, err := in.RecordBatch(i)
		if err != nil {
			return err
		}
		b, err := out.RecordBatch(i)
		if err != nil {
			return err
		}
		if err := t.batch(a, b, e.Column); err != nil {
			return err
		}
	}
	return t.check()
}

func openArrow(path string) (*ipc.FileReader, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	return ipc.NewFileReader(f)
}

func (t *pairTally) batch(a, b arrow.RecordBatch, private string) error {
	if a.NumRows() != b.NumRows() {
		return errors.New("another number of rows was written")
	}
	for i, f := range a.Schema().Fields() {
		if f.Name != private {
			if !array.Equal(a.Column(i), b.Column(i)) {
				return errors.New("rows have moved or other columns have changed")
			}
			continue
		}
		from, to := a.Column(i).(*array.Dictionary), b.Column(i).(*array.Dictionary)
		before, after := from.Dictionary().(array.StringLike), to.Dictionary().(array.StringLike)
		for k := range from.Len() {
			in := sql.NullString{String: before.Value(from.GetValueIndex(k)), Valid: true}
			if err := t.add(in, sql.NullString{String: after.Value(to.GetValueIndex(k)), Valid: true}, 1); err != nil {
				return err
			}
		}
	}
	return nil
}
