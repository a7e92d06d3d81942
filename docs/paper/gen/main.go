// Command gen recomputes docs/paper.md and draws its pictures. It is a module
// of its own so that the plotting library is no dependency of Tacet.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/tacet-privacy/tacet/docs/paper/gen/figures"
)

func main() {
	root := flag.String("root", "../../..", "the repository")
	flag.Parse()
	if err := run(*root); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(root string) error {
	points, err := os.Open(filepath.Join(root, "testdata", "paper", "paper.json"))
	if err != nil {
		return err
	}
	defer points.Close()
	published, err := figures.Read(points)
	if err != nil {
		return err
	}
	paper, err := figures.Compute(context.Background(), published)
	if err != nil {
		return err
	}
	page, err := os.Create(filepath.Join(root, "docs", "paper.md"))
	if err != nil {
		return err
	}
	if err := paper.Page(page); err != nil {
		return err
	}
	if err := page.Close(); err != nil {
		return err
	}
	for name, c := range charts(paper) {
		if err := c.save(filepath.Join(root, "docs", "paper", name+".svg")); err != nil {
			return fmt.Errorf("picture %s: %w", name, err)
		}
	}
	for _, c := range paper.Agreement {
		fmt.Printf("%-60s %4d points, largest difference %.1e\n", c.What, c.Points, c.Largest)
		if !c.Holds() {
			return fmt.Errorf("%s: more than %v apart", c.What, c.Tolerance)
		}
	}
	return nil
}
