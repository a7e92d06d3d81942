package releases

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/ledger"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// dead lists what runs that died before they published anything had reserved.
// The lock of the series is held, so that none of them goes on. They count
// until somebody voids them.
func (b *Booking) dead() (ids []int64) {
	for _, e := range b.before {
		if e.State == ledger.IsReserved && e.ID != b.ticket.ID {
			ids = append(ids, e.ID)
		}
	}
	return ids
}

// voiding is the command that takes a release out of the count.
func (b *Booking) voiding(id int64) string {
	return fmt.Sprintf("tacet ledger void --ledger %s --id %d --reason 'the run died'", b.o.Ledger, id)
}

// reservedStill adds to what failed that the ledger could not even take back
// what the run had reserved.
func (b *Booking) reservedStill(err, void error) error {
	f := *fault.As(err)
	f.What = fmt.Sprintf("%s; and release %d still counts in the ledger, because it could not be cancelled there: %s",
		f.What, b.ticket.ID, fault.As(void).What)
	f.Hint = strings.TrimPrefix(f.Hint+"; then cancel the release: "+b.voiding(b.ticket.ID), "; then ")
	if b.m != nil {
		f.Hint += ", or repeat the same run, which continues the release"
	}
	f.Err = err
	return &f
}

// blame adds to a refusal that what died before may have caused what to run.
func (b *Booking) blame(err *error) {
	ids := b.dead()
	var refused *ledger.Error
	if *err == nil || len(ids) == 0 {
		return
	}
	f := *fault.As(*err)
	if f.Class != fault.Privacy && !(errors.As(*err, &refused) && (refused.Kind == ledger.Key ||
		refused.Kind == ledger.Design)) {
		return
	}
	var commands []string
	for _, id := range ids {
		commands = append(commands, b.voiding(id))
	}
	f.Hint = strings.TrimPrefix(fmt.Sprintf("%s; %s that died still count in the ledger until cancelled: %s", f.Hint,
		report.Several(int64(len(ids)), "run", "runs"), strings.Join(commands, "; ")), "; ")
	f.Err = *err
	*err = &f
}

// mourn warns of releases that still count although nothing of them was published.
func (b *Booking) mourn() (warnings []string) {
	for _, id := range b.dead() {
		warnings = append(warnings, fmt.Sprintf("release %d was reserved by a run that died before it published "+
			"anything, and counts until it is cancelled: %s", id, b.voiding(id)))
	}
	return warnings
}
