package table

import (
	"bytes"
	"fmt"
)

// ShuffledRows is how many rows a row group or record batch has once the rows of
// a file were shuffled, but for the last one: whatever the file had before.
const ShuffledRows = 1 << 17

// A Memory is a file in memory.
type Memory struct{ *bytes.Reader }

// InMemory is a file of these bytes.
func InMemory(b []byte) Memory { return Memory{bytes.NewReader(b)} }

// Identity is always the same: nobody else can change the bytes.
func (m Memory) Identity() (string, error) { return "memory", nil }

// TooLargeError says that a file is not shuffled within the memory allowed.
type TooLargeError struct{ Need, Most int64 }

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("shuffling takes about %d MiB of memory, and %d MiB are allowed", e.Need>>20+1, e.Most>>20)
}

// Fits fails where more memory is needed than allowed, in bytes.
func Fits(need, most int64) error {
	if need > most {
		return &TooLargeError{need, most}
	}
	return nil
}
