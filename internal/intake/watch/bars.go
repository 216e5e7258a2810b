package watch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
)

// barPreview is the part of the server's price bar preview used by the agent. A commit
// has it too.
type barPreview struct {
	Series []struct {
		Symbol       string `json:"symbol"`
		Bars         int    `json:"bars"`
		FillsChecked int    `json:"fills_checked"`
		FillsInside  int    `json:"fills_inside"`
		Overlaps     int    `json:"overlaps"`
		Conflicts    int    `json:"conflicts"`
	} `json:"series"`
	Missing    []string   `json:"missing_mapping"`
	Errors     []rowError `json:"errors"`
	ErrorCount int        `json:"error_count"`
	Inserted   int        `json:"inserted"`
	Replaced   int        `json:"replaced"`
}

func (c *client) previewBars(ctx context.Context, up upload) (p barPreview, err error) {
	_, err = c.call(ctx, http.MethodPost, "/api/v1/bars/imports", up.form(), "", &p)
	return p, err
}

// commitBars imports price bars. A repetition stores nothing again.
func (c *client) commitBars(ctx context.Context, up upload) (p barPreview, err error) {
	_, err = c.call(ctx, http.MethodPost, "/api/v1/bars/imports/commit", up.form(), "", &p)
	return p, err
}

// sendBars imports a price bar file. isBars is false if the file has no price bars, or
// if the server or the token does not take any.
func (i *importer) sendBars(ctx context.Context, folder *Folder, path string, content []byte) (v verdict, isBars bool, err error) {
	up := upload{name: filepath.Base(path), content: content, fields: map[string]string{}}
	p, err := i.client.previewBars(ctx, up)
	if err == nil && slices.Contains(p.Missing, "tz") && folder.TZ != "" {
		up.fields["tz"] = folder.TZ
		p, err = i.client.previewBars(ctx, up)
	}
	if err != nil {
		return judgeBarRefusal(err)
	}
	if v := judgeBars(p); v != nil {
		return *v, true, nil
	}
	if i.dryRun {
		return verdict{outcome: Imported, message: "would insert " + describeBars(p)}, true, nil
	}
	done, err := i.client.commitBars(ctx, up)
	if err != nil {
		return judgeBarRefusal(err)
	}
	message := fmt.Sprintf("%s inserted, %d replaced: %s", count(done.Inserted, "bar"), done.Replaced, listSymbols(done))
	return verdict{outcome: Imported, message: message + describeProblems(done.ErrorCount, done.Errors)}, true, nil
}

// judgeBarRefusal returns the verdict for a file the server does not accept as bars.
func judgeBarRefusal(err error) (v verdict, isBars bool, failed error) {
	r, ok := errors.AsType[*refusal](err)
	switch {
	case errors.Is(err, errUnreachable) || !ok:
		return verdict{}, false, err
	case r.Code == "mapping_required" || r.Status == http.StatusRequestEntityTooLarge:
		return verdict{outcome: Refused, message: r.Message}, true, nil
	case r.Status/100 == 4:
		return verdict{}, false, nil
	}
	return verdict{}, false, err
}

// judgeBars returns why bars are not imported, or nil.
func judgeBars(p barPreview) *verdict {
	if len(p.Missing) > 0 {
		message := fmt.Sprintf("price bars of %s: %s is unknown. Import the file in the browser under Prices", listSymbols(p), strings.Join(p.Missing, ", "))
		if slices.Contains(p.Missing, "tz") {
			message += ", or set tz for the folder"
		}
		return &verdict{outcome: Refused, message: message}
	}
	bars, known := 0, 0
	for _, s := range p.Series {
		bars, known = bars+s.Bars, known+s.Overlaps-s.Conflicts
		if 10*s.FillsInside < 9*s.FillsChecked {
			return &verdict{outcome: Refused, message: fmt.Sprintf("price bars of %s: only %d of %d fills lie inside their bar. Check the file in the browser under Prices",
				s.Symbol, s.FillsInside, s.FillsChecked)}
		}
	}
	if bars == known {
		return &verdict{outcome: Unchanged, message: fmt.Sprintf("nothing new, %s known", count(known, "bar"))}
	}
	return nil
}

func describeBars(p barPreview) string {
	bars := 0
	for _, s := range p.Series {
		bars += s.Bars - s.Overlaps
	}
	return count(bars, "bar") + ": " + listSymbols(p)
}

// listSymbols names the first symbols.
func listSymbols(p barPreview) string {
	const most = 5
	var list []string
	for _, s := range p.Series {
		if s.Symbol != "" && !slices.Contains(list, s.Symbol) {
			list = append(list, s.Symbol)
		}
	}
	if len(list) == 0 {
		return "an unknown symbol"
	}
	if len(list) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(list[:most], ", "), len(list)-most)
	}
	return strings.Join(list, ", ")
}
