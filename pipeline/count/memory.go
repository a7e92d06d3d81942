package count

import "github.com/tacet-privacy/tacet/io/table"

// Memory is what may still be allocated, in bytes.
func Memory() int64 { return table.FreeMemory() }
