package table

import "syscall"

// changed is when the inode changed, which no user can set.
func changed(st *syscall.Stat_t) int64 { return st.Ctim.Nano() }
