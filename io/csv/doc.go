// Package csv is the CSV format of package table. A file is a header and rows of
// text cells; blocks of 65,536 rows are its units. The private cells are replaced
// and every other byte is copied: quotes, line ends, a byte order mark. Whether a
// private cell has quotes does not depend on the cell that it replaces.
//
// encoding/csv votes on the delimiter and reads nothing else: it drops a carriage
// return within quotes, and does not tell a quoted empty cell, which is a text,
// from an unquoted one, which is a null. The pass that counts would take twice as long.
package csv
