package releases

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/ledger"
)

// Write puts tonight into the record history and says what it came to. The
// history is not in effect until Seal.
func (b *Booking) Write(ctx context.Context, outputHash string, rows int64, again *Recall) error {
	if b == nil {
		return nil
	}
	if err := again.admitted(b.o.OnChange); err != nil {
		return err
	}
	if b.ticket.Again && b.ticket.State == ledger.IsCommitted {
		b.realised = *b.ticket.Realised
		b.realised.OutputSHA256 = outputHash
		return nil
	}
	b.realised = ledger.Realised{OutputSHA256: outputHash, Rows: rows, Factor: b.p.Factor().RatString(),
		Cumulative: b.ticket.Claim, Held: again.Outside()}
	if b.m == nil {
		return nil
	}
	file := fmt.Sprintf("%06d%s", b.ticket.ID, ledger.Suffix)
	counted, err := b.m.past.Write(filepath.Join(b.l.Folder(b.of), file),
		func(_ *ledger.Record, list []ledger.RecordEntry) error {
			st, err := b.m.night.State(list)
			if err == nil && st != nil {
				b.reached.Add(st)
			}
			return err
		})
	if err != nil {
		return err
	}
	b.realised.Changed, b.realised.New, b.realised.Vanished = b.reached.Visible, counted.New, counted.Vanished
	b.realised.History = &counted.Segment
	b.realised.Cumulative = ledger.Claim{Label: "none", Rule: "every record changed visibly"}
	if f := b.reached.Factor(); f != nil {
		b.realised.Cumulative = ledger.Claim{Factor: f.RatString(), Label: "exact", Rule: exactRule}
	}
	return nil
}

// undrawn is what is claimed of releases with record ids before the last one is drawn: each
// record is held to the total as it is drawn.
var undrawn = ledger.Claim{Label: "none", Rule: "known once it is drawn"}

// exactRule names how the figure of releases with record ids is known.
const exactRule = "one draw for each design and key; the largest over records without a visible change"

// Seal records what the release came to. From here on it counts as published.
func (b *Booking) Seal(ctx context.Context) error {
	if b == nil {
		return nil
	}
	if err := b.l.Seal(ctx, b.ticket.ID, b.realised); err != nil {
		return err
	}
	b.reserved = false
	return nil
}

// Commit records that the files are in place, and removes histories that are
// no longer needed.
func (b *Booking) Commit(ctx context.Context) error {
	if b == nil {
		return nil
	}
	defer b.free()
	err := b.l.Commit(ctx, b.ticket.ID)
	if err == nil {
		var now *ledger.Reading
		if now, err = b.l.Look(context.WithoutCancel(ctx)); err == nil {
			err = ledger.Sweep(now.Folder(b.of), now.Keep(b.of))
		}
	}
	if err != nil {
		hint := "do not repeat this run: the next one completes what is missing"
		if b.m != nil {
			hint = "the next run completes what is missing; this run with --overwrite does so too, because keyed draws repeat"
		}
		return &fault.Fault{Class: fault.Published, What: "the release was published, but " + fault.As(err).What, Hint: hint,
			Err: err}
	}
	return nil
}
