package demo

import (
	"bytes"
	"image/png"
	"regexp"
	"slices"
	"strings"
	"testing"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/matching"
	"fillbook/internal/trading/playbook"
)

func TestAnnotationsFitTheirTrades(t *testing.T) {
	eachStory(t, func(t *testing.T, s Story) {
		var withNotes, withRisk, reviewed, all int
		for _, a := range s.Accounts {
			trades := tradesIn(a)
			for _, m := range a.Annotations {
				trade, known := trades[m.Opening]
				if !known {
					t.Fatalf("annotations on %s, which opens no trade", m.Opening)
				}
				delete(trades, m.Opening) // none is annotated twice
				checkAnnotations(t, s, m, trade)
				all++
				withNotes += flag(m.Notes != "")
				withRisk += flag(m.Risk.Valid)
				reviewed += flag(!m.ReviewedAt.IsZero())
			}
		}
		if withNotes < all*6/10 || withRisk < all*6/10 || reviewed < all*8/10 || reviewed == all {
			t.Errorf("of %d annotations %d have notes, %d a risk, and %d are reviewed", all, withNotes, withRisk, reviewed)
		}
	})
}

func flag(is bool) int {
	if is {
		return 1
	}
	return 0
}

func checkAnnotations(t *testing.T, s Story, m Annotations, trade matching.Trade) {
	t.Helper()
	for _, n := range []decimal.Null{m.Risk, m.Stop, m.Target} {
		if n.Valid && n.Decimal.Sign() <= 0 {
			t.Errorf("%s: risk %s, stop %s, target %s", m.Opening, m.Risk, m.Stop, m.Target)
		}
	}
	if m.Worst.Decimal.Sign() < 0 || m.Best.Decimal.Sign() < 0 || m.Worst.Valid && !trade.IsClosed() {
		t.Errorf("%s: excursions %s and %s", m.Opening, m.Worst, m.Best)
	}
	if m.Confidence < 0 || m.Confidence > 5 || m.Quality < 0 || m.Quality > 5 {
		t.Errorf("%s: confidence %d, quality %d", m.Opening, m.Confidence, m.Quality)
	}
	if closed, over := trade.ClosedAt(); !m.ReviewedAt.IsZero() && (!over || m.ReviewedAt.UnixMicro() < closed) {
		t.Errorf("%s: reviewed at %s, before it was over", m.Opening, m.ReviewedAt)
	}
	if m.Stop.Valid && m.Target.Valid && m.Stop.Decimal.Cmp(m.Target.Decimal) < 0 != (trade.Direction == matching.Long) {
		t.Errorf("%s: a %s trade with stop %s and target %s", m.Opening, trade.Direction, m.Stop, m.Target)
	}
	for _, name := range m.Setups {
		if !slices.ContainsFunc(s.Setups, func(s Setup) bool { return s.Name == name }) {
			t.Errorf("%s: there is no setup %q", m.Opening, name)
		}
	}
	for _, name := range m.Tags {
		if !slices.ContainsFunc(s.Tags, func(s Tag) bool { return s.Name == name }) {
			t.Errorf("%s: there is no tag %q", m.Opening, name)
		}
	}
}

// Every setup and every tag is used, or it would be odd to have it.
func TestThePlaybookIsUsed(t *testing.T) {
	eachStory(t, func(t *testing.T, s Story) {
		used := map[string]int{}
		for _, a := range s.Accounts {
			for _, m := range a.Annotations {
				for _, name := range slices.Concat(m.Setups, m.Tags) {
					used[name]++
				}
			}
		}
		for _, setup := range s.Setups {
			if used[setup.Name] < 10 || len(setup.Checklist) < 3 || setup.Thesis == "" {
				t.Errorf("setup %s is on %d trades", setup.Name, used[setup.Name])
			}
		}
		for _, tag := range s.Tags {
			if used[tag.Name] < 3 || tag.Description == "" || len(tag.Color) != 7 {
				t.Errorf("tag %s is on %d trades", tag.Name, used[tag.Name])
			}
		}
	})
}

// The rules report has content: most rules are followed, some in every setup are broken,
// and breaking rules costs money.
func TestRulesAreAnswered(t *testing.T) {
	eachStory(t, func(t *testing.T, s Story) {
		counts := map[RuleAnswer]int{}
		var kept, broke average
		for _, a := range s.Accounts {
			trades := tradesIn(a)
			for _, m := range a.Annotations {
				if len(m.Rules) == 0 {
					continue
				}
				for _, answer := range m.Rules {
					counts[answer]++
				}
				side := &kept
				if slices.ContainsFunc(m.Rules, func(r RuleAnswer) bool { return r.State == playbook.RuleBroken }) {
					side = &broke
				}
				side.add(trades[m.Opening].NetPnL.Decimal.Float64())
			}
		}
		for _, setup := range s.Setups {
			followed, broken := 0, 0
			for _, rule := range setup.Checklist {
				followed += counts[RuleAnswer{rule, playbook.RuleFollowed}]
				broken += counts[RuleAnswer{rule, playbook.RuleBroken}]
			}
			if broken == 0 || followed < 4*broken {
				t.Errorf("rules of %s: %d followed, %d broken", setup.Name, followed, broken)
			}
		}
		if kept.n < 500 || broke.n < 100 || kept.mean() <= broke.mean() {
			t.Errorf("%d trades by all rules with an average of %.2f, %d others with %.2f", kept.n, kept.mean(), broke.n, broke.mean())
		}
	})
}

// average is a mean.
type average struct {
	sum float64
	n   int
}

func (a *average) add(value float64) { a.sum, a.n = a.sum+value, a.n+1 }

func (a *average) mean() float64 { return a.sum / float64(max(a.n, 1)) }

// No text has a gap where a figure should be, and none is too long.
func TestTextsAreWhole(t *testing.T) {
	gap := regexp.MustCompile(`[{}]|%!|NaN|Inf|  \S`)
	eachStory(t, func(t *testing.T, s Story) {
		var texts []string
		for _, a := range s.Accounts {
			for _, m := range a.Annotations {
				texts = append(texts, m.Notes, m.Mood)
			}
		}
		for _, n := range s.Notes {
			texts = append(texts, n.Title, n.Body)
		}
		for _, m := range s.Missed {
			texts = append(texts, m.Notes)
		}
		for _, text := range texts {
			if gap.MatchString(text) || len(text) > 4000 {
				t.Errorf("%q", text)
			}
		}
	})
}

func TestPhrasesExist(t *testing.T) {
	t.Parallel()
	d := loadData()
	names := []string{
		"end target", "end stop", "end stop early", "end even", "end fear", "end time win", "end time loss",
		"end open", "end expiry", "lesson good", "lesson bad", "mood good", "mood bad", "mood fear", "log market",
		"log plan", "log good", "log bad", "log tilt", "log fear", "log none", "watch", "review good", "review bad",
		"review focus", "missed none",
	}
	for _, s := range d.Setups {
		names = append(names, "why "+s.Name)
	}
	for _, tag := range d.Tags {
		if tag.Mistake && tag.Name != "Cut winner early" {
			names = append(names, "mistake "+tag.Name)
		}
	}
	for _, reason := range missedReasons {
		if reason != "" {
			names = append(names, "missed "+reason)
		}
	}
	for _, name := range names {
		if len(d.Phrases[name]) < 2 {
			t.Errorf("data.json has %d phrases for %q, want at least 2", len(d.Phrases[name]), name)
		}
	}
}

// The daily logs repeat their day's routine, line by line.
func TestLogsAgreeWithTheRoutine(t *testing.T) {
	eachStory(t, func(t *testing.T, s Story) {
		done := map[journal.Day]map[string]bool{}
		for _, item := range s.Routine {
			for _, day := range item.Done {
				if done[day] == nil {
					done[day] = map[string]bool{}
				}
				done[day][item.Title] = true
			}
		}
		ticked := 0
		for _, n := range s.Notes {
			for line := range strings.Lines(n.Body) {
				title, isDone := strings.CutPrefix(strings.TrimSpace(line), "- [x] ")
				if n.Type == "daily_log" && isDone {
					if ticked++; !done[n.Day][title] {
						t.Errorf("the log of %s ticks %q", n.Day, title)
					}
				}
			}
		}
		if ticked < 500 {
			t.Errorf("%d ticks in the daily logs", ticked)
		}
	})
}

func TestPictures(t *testing.T) {
	eachStory(t, func(t *testing.T, s Story) {
		for _, a := range s.Accounts {
			trades := tradesIn(a)
			for _, p := range a.Pictures {
				picture, err := png.Decode(bytes.NewReader(p.PNG))
				if err != nil {
					t.Fatal(err)
				}
				size := picture.Bounds().Size()
				if _, known := trades[p.Opening]; !known || size.X != 1200 || size.Y != 700 || len(p.PNG) > 40_000 {
					t.Errorf("%s of %s: %v, %d bytes", p.Name, p.Opening, size, len(p.PNG))
				}
				if !strings.HasSuffix(p.Name, ".png") || strings.ContainsAny(p.Name, "/ ") {
					t.Errorf("a picture called %q", p.Name)
				}
			}
		}
	})
}

// A chart shows the candles, the entries and the exits.
func TestDrawChart(t *testing.T) {
	t.Parallel()
	s := newSimulation("2024-03-11", "2026-03-10")
	on := s.series["NVDA"]
	p := plan{series: on, at: moment{100, 60}, long: true, stop: 80, target: 2, bars: 50}
	picture, err := png.Decode(bytes.NewReader(drawChart(&trade{outcome: p.run(), instrument: on.instrument})))
	if err != nil {
		t.Fatal(err)
	}
	found := map[uint8]int{}
	for y := range chartHeight {
		for x := range chartWidth {
			found[uint8(chartColors.Index(picture.At(x, y)))]++
		}
	}
	for _, ink := range []uint8{colorGrid, colorUp, colorDown, colorEntry, colorExit} {
		if found[ink] < 50 {
			t.Errorf("%d pixels have color %d, want at least 50", found[ink], ink)
		}
	}
}
