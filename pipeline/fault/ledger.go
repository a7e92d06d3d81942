package fault

import (
	"errors"
	"io/fs"

	"github.com/tacet-privacy/tacet/pipeline/ledger"
)

// ledgerClass says whose turn it is when the ledger refuses. A broken chain,
// a changed design and a replay with other bytes are refusals of privacy: the
// accounts no longer say what was published.
var ledgerClass = map[ledger.Kind]Class{
	ledger.Missing: Input, ledger.Foreign: Input, ledger.Newer: Input, ledger.Key: Input,
	ledger.Broken: Privacy, ledger.Design: Privacy, ledger.Output: Privacy,
	ledger.Locked: Environment, ledger.ReadOnly: Environment, ledger.Disk: Environment, ledger.Clock: Environment,
	ledger.Malformed: Usage, ledger.Unknown: Usage, ledger.State: Usage,
}

// ofLedger classifies what the ledger and its record histories refuse,
// nil for any other error.
func ofLedger(err error) *Fault {
	var refused *ledger.Error
	if !errors.As(err, &refused) {
		return nil
	}
	class := ledgerClass[refused.Kind]
	if refused.Kind == ledger.Broken && (ofMachine(err) || errors.Is(err, fs.ErrPermission)) { // a history cannot be read
		class = Environment
	}
	return caused(class, refused.What, refused.Hint, err)
}
