package demo

import (
	_ "embed"
	"strings"
)

//go:embed words.txt
var wordsText string

// words are the lists of words.txt by name.
type words map[string][]string

// readWords reads the lists.
func readWords() words {
	lists, name := words{}, ""
	for line := range strings.Lines(wordsText) {
		line = strings.TrimSpace(line)
		title, isTitle := strings.CutPrefix(line, "# ")
		switch {
		case line == "" || strings.HasPrefix(line, ";"):
		case isTitle:
			name = title
		default:
			lists[name] = append(lists[name], line)
		}
	}
	return lists
}

// say takes an entry of a list and fills in the figures, given as pairs of a
// placeholder and its text.
func (w words) say(d dice, list string, figures ...string) string {
	return strings.NewReplacer(figures...).Replace(pick(d, w[list]))
}

// setups are the trader's playbook.
var setups = []Setup{
	{
		Name:        "Opening range breakout",
		Description: "Break of the first five or fifteen minutes with volume, in the direction of the market.",
		Thesis:      "Whoever has to act at the open acts in the first minutes. When that range breaks with volume above average, the rest of the day often follows.",
		Checklist:   []string{"Range is narrower than usual", "Volume above its average", "Index agrees", "No level in the way for 1.5R", "Entry before 10:30"},
	},
	{
		Name:        "Pullback to the 20 EMA",
		Description: "Second or third touch of the 20 EMA in a clear trend, on falling volume.",
		Thesis:      "A strong first leg leaves people behind who want in. The quiet pullback is where they get it.",
		Checklist:   []string{"Trend is obvious at a glance", "Pullback on falling volume", "At most half of the leg given back", "Stop under the swing", "Target at least the old extreme"},
	},
	{
		Name:        "VWAP reclaim",
		Description: "Back through VWAP after a failed stay on the other side.",
		Thesis:      "Whoever leaned against VWAP is wrong at once when it is reclaimed and held; their exit is the fuel.",
		Checklist:   []string{"Two closes on the right side", "Volume on the reclaim", "Index near its own VWAP or beyond", "Not between 11:30 and 13:00"},
	},
	{
		Name:        "Gap fade",
		Description: "Against a gap without news that runs into a level.",
		Thesis:      "Gaps without a reason are often filled. The figures say that I am bad at it; kept here until the sample is large enough to drop it for good.",
		Checklist:   []string{"No news", "Gap ends at a level", "First five minute candle failed", "Half size"},
	},
	{
		Name:        "Failed breakdown",
		Description: "Flush of an obvious low that is recovered at once.",
		Thesis:      "The stops under an obvious low are someone's entry. When price is back above within minutes, the sellers are done.",
		Direction:   "long",
		Checklist:   []string{"Low was obvious to everybody", "Recovered within ten minutes", "Entry above the level, stop under the flush", "First push back has no pause"},
	},
	{
		Name:        "Base breakout",
		Description: "Close above a base of at least four weeks, held for days.",
		Thesis:      "Long quiet bases are where large buyers work. The breakout shows that they are done being patient.",
		Direction:   "long",
		Checklist:   []string{"Base of four weeks or more", "Closes are tight", "Group is strong", "Earnings are more than ten days away", "Stop under the last swing low"},
	},
	{
		Name:        "Earnings drift",
		Description: "In the direction of a strong reaction to earnings, for a few days.",
		Thesis:      "Funds need days to change a position. A reaction that closes near its extreme goes on more often than not.",
		Checklist:   []string{"Close in the outer quarter of the day", "Guidance and not only numbers", "Volume at least three times normal", "Exit before the fifth day"},
	},
	{
		Name:        "Premium sale",
		Description: "Put sold under two supports while volatility is high.",
		Thesis:      "Fear is paid too well after a drop. I sell it where I would buy the stock anyway, and close early.",
		Direction:   "short",
		Checklist:   []string{"Volatility rank above 40", "Strike under two supports", "No event before expiry", "Close at half of the premium", "Never more than three at once"},
	},
}

// tags are the words that the trader puts on trades.
var tags = []Tag{
	{Name: "A+ setup", Color: "#2e9e6b", Description: "Everything on the checklist was there."},
	{Name: "Trend day", Color: "#3b82f6", Description: "The market went one way from open to close."},
	{Name: "Chop", Color: "#94a3b8", Description: "No direction, wide wicks."},
	{Name: "News", Color: "#8b5cf6", Description: "A number, a headline or a speaker moved it."},
	{Name: "Earnings", Color: "#d97706", Description: "Around a report."},
	{Name: "Scaled in", Color: "#0ea5e9", Description: "More than one entry, as planned."},
	{Name: "Overnight", Color: "#475569", Description: "Held over at least one night."},
	{Name: "Revenge trade", Color: "#dc2626", Description: "Taken to win a loss back.", Mistake: true},
	{Name: "Chased entry", Color: "#f97316", Description: "Entered after the move.", Mistake: true},
	{Name: "Moved stop", Color: "#ea580c", Description: "Gave a loser more room.", Mistake: true},
	{Name: "No plan", Color: "#b45309", Description: "Nothing was written down before.", Mistake: true},
	{Name: "Oversized", Color: "#be123c", Description: "More than the sheet allows.", Mistake: true},
	{Name: "Traded the news", Color: "#c026d3", Description: "Clicked on a headline.", Mistake: true},
	{Name: "Overtrading", Color: "#9f1239", Description: "One too many on a day of too many.", Mistake: true},
	{Name: "Cut winner early", Color: "#eab308", Description: "Out before the target without a reason.", Mistake: true},
}
