package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/prices/barimport"
	"fillbook/internal/prices/bars"
)

type importBarsCommand struct {
	File       string `arg:"" type:"existingfile" help:"File of price bars; it may be packed with zip or gzip."`
	Email      string `required:"" placeholder:"EMAIL" help:"Email address of the user."`
	Symbol     string `placeholder:"SYMBOL" help:"Symbol of a file that does not name it, for example NQZ26."`
	TZ         string `name:"tz" placeholder:"ZONE" help:"Time zone of times without one, for example America/New_York or -05:00. Default: found with the user's fills."`
	Stamp      string `enum:",open,close" default:"" help:"open or close: which instant of a bar its time is. Default: found with the user's fills."`
	BarSecs    int64  `name:"bar-secs" placeholder:"SECONDS" help:"Length of a bar, if it is not in the file."`
	PriceScale string `name:"price-scale" placeholder:"NUMBER" help:"What prices are multiplied by, for example 0.01."`
	DryRun     bool   `name:"dry-run" help:"Only print what would be imported."`
}

// Run imports a bar file, or prints a preview.
func (c importBarsCommand) Run(env *environment, s *settings) error {
	services, done, err := s.openJournals(env)
	if err != nil {
		return err
	}
	defer done()
	owner, err := userByEmail(env, services, c.Email)
	if err != nil {
		return err
	}
	file, err := os.Open(c.File)
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // it was only read
	up, err := c.upload(file)
	if err != nil {
		return err
	}
	if c.DryRun {
		result, err := services.BarImports.Preview(env.ctx, owner, up)
		if err != nil {
			return rewordForFlags(err)
		}
		return printBars(env.stdout, result)
	}
	imported, result, err := services.BarImports.Commit(env.ctx, owner, up)
	if err != nil {
		return rewordForFlags(err)
	}
	printBarImport(env.stdout, imported)
	return printBars(env.stdout, result)
}

func (c importBarsCommand) upload(file *os.File) (barimport.Upload, error) {
	info, err := file.Stat()
	if err != nil {
		return barimport.Upload{}, err
	}
	up := barimport.Upload{
		FileName: filepath.Base(c.File), Content: file, Size: info.Size(),
		Symbol: c.Symbol, Zone: c.TZ, Stamp: c.Stamp, BarSecs: c.BarSecs,
	}
	if c.PriceScale != "" {
		scale, err := decimal.Parse(c.PriceScale)
		if err != nil {
			return up, errors.New("--price-scale must be a number")
		}
		up.PriceScale = decimal.Of(scale)
	}
	return up, nil
}

func printBarImport(out io.Writer, i bars.Import) {
	fmt.Fprintf(out, "import %s: %s inserted, %d replaced, %d unchanged\n", i.ID, formatCount(i.Inserted, "bar"), i.Replaced, i.Unchanged)
}

func printBars(out io.Writer, r barimport.Result) error {
	fmt.Fprintf(out, "%s: %s, %s\n", r.Layout, formatCount(r.Rows, "row"), formatCount(r.ErrorCount, "problem"))
	for _, s := range r.Series {
		fmt.Fprintf(out, "%s: %s of %s, %s to %s, %s\n", s.Symbol, formatCount(s.Bars, "bar"), time.Duration(s.Secs)*time.Second,
			formatOpening(s.First), formatOpening(s.Last), formatReading(s))
		if s.FillsChecked > 0 {
			fmt.Fprintf(out, "%s: %d of %s inside their bar\n", s.Symbol, s.FillsInside, formatCount(s.FillsChecked, "fill"))
		}
		if s.Overlaps > 0 {
			fmt.Fprintf(out, "%s: %s stored already, %d with other values\n", s.Symbol, formatCount(s.Overlaps, "bar"), s.Conflicts)
		}
	}
	if r.Missing != "" {
		fmt.Fprintf(out, "add --%s\n", strings.ReplaceAll(r.Missing, "_", "-"))
	}
	for _, p := range r.Errors {
		fmt.Fprintf(out, "%srow %d: %s\n", prefixFile(p.File), p.Row, p.Message)
	}
	for _, warning := range r.Warnings {
		if _, err := fmt.Fprintf(out, "note: %s\n", warning); err != nil {
			return err
		}
	}
	return nil
}

func prefixFile(name string) string {
	if name == "" {
		return ""
	}
	return name + ", "
}

func formatOpening(second int64) string { return journal.FormatInstant(time.Unix(second, 0)) }

// formatReading returns how the times of a series are read.
func formatReading(s barimport.Series) string {
	zone, stamp := "unknown time zone", "unknown stamp"
	if s.ZoneKnown {
		zone = "time zone " + s.Reading.Zone.String()
	}
	if s.StampKnown {
		stamp = map[bool]string{false: "stamped with the open", true: "stamped with the close"}[s.Reading.Stamp != 0]
	}
	return zone + ", " + stamp
}
