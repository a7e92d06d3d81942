// Package floors searches what every floor costs and keeps, and writes the table, the
// picture and the page to choose on. It decides nothing.
package floors
