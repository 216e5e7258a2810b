package httpapi_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// searchTexts are the texts in searched notes: one case in several forms, letters beyond
// ASCII, scripts without spaces, numbers, punctuation and a very long text.
var searchTexts = []string{
	"Gap up, chased the OPEN", "gap filled; no risk", "Größe: ſtop at 5.25%", "GRÖSSE und Überkauft", "überverkauft – don't", "突破后等待回调", "NQ等待 gap",
	"ストップ高", "BTC/USD #news @15:30", "Кит и кот", strings.Repeat("again and again ", 2000) + "lastword", "e\u0301clair éclair", "_under_score_ 1_000",
}

var searchQueries = []string{
	"gap", "GAP op", "grö", "GROSSE", "stop", "über", "uber", "等待", "待", "nq", "高", "btc usd", "15", "5 25", "кО", "lastword again", "é", "under", "1 000", "don t", "absent", "Calm",
}

// searchedJournal writes at random, and knows no more than the lists say.
type searchedJournal struct {
	trader
	random *rand.Rand
	minute int
}

func (j *searchedJournal) pick(list []string) string { return list[j.random.IntN(len(list))] }

// write makes a random change: to a note, to a trade's notes, or to their links.
func (j *searchedJournal) write() {
	j.minute++
	notes, trades := j.get("/notes").column("id"), j.get("/trades").column("id")
	text := j.pick(searchTexts)
	switch change := j.random.IntN(12); {
	case change < 2 || len(notes) == 0 || len(trades) == 0:
		j.fill(j.pick([]string{"NQZ6", "GAPX", "BTC/USD"}), "buy 1@10", j.minute, more{"external_id": fmt.Sprint(j.minute)})
		j.made("/notes", more{"title": text, "body": j.pick(searchTexts), "occurred_at": at(j.random.IntN(50)), "account_id": j.account})
	case change < 4:
		j.made("/notes", more{"type": "daily_log", "symbols": []more{{"symbol": "SPY", "body": text}}, "trade_id": j.pick(trades)})
	case change == 4:
		j.patch("/notes/"+j.pick(notes), more{"body": text, "trade_id": j.pick(trades)}).want(http.StatusOK)
	case change == 5:
		j.patch("/notes/"+j.pick(notes), more{"occurred_at": at(j.random.IntN(50)), "account_id": nil}).want(http.StatusOK)
	case change == 6:
		j.delete("/notes/" + j.pick(notes)).wantNone()
	case change == 7:
		j.patch("/trades", more{"ids": trades[:1+j.random.IntN(len(trades))], "set": more{"notes": text}}).want(http.StatusOK)
	case change == 8:
		j.fill("NQZ6", "sell 1@11", j.minute, more{"external_id": fmt.Sprint(j.minute)}) // trades become others
	case change == 9:
		j.delete("/trades/" + j.pick(trades)).wantNone()
	case change == 10:
		// The annotations wait while their trade has no fill.
		fills := j.get("/executions").column("id")
		j.delete("/executions/" + j.pick(fills)).wantNone()
	default:
		j.annotate(j.pick(trades), more{"notes": text})
	}
}

// hasWords is a slow test for the words in a query.
func hasWords(query string, texts ...string) bool {
	split := func(text string) (words [][]rune) {
		var word []rune
		end := func() {
			if len(word) > 0 {
				words, word = append(words, word), nil
			}
		}
		for _, r := range text {
			alone := unicode.In(r, unicode.Han, unicode.Katakana) || r == 'ー'
			switch {
			case !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r):
				end()
				continue
			case alone:
				end()
			}
			if word = append(word, r); alone {
				end()
			}
		}
		end()
		return words
	}
	var have [][]rune
	for _, text := range texts {
		have = append(have, split(text)...)
	}
	return !slices.ContainsFunc(split(query), func(want []rune) bool {
		return !slices.ContainsFunc(have, func(word []rune) bool {
			return len(word) >= len(want) && strings.EqualFold(string(word[:len(want)]), string(want))
		})
	})
}

// compare compares a search for notes and trades with a test of every text.
func (j *searchedJournal) compare(query, extra string) {
	j.w.t.Helper()
	about := map[string][]string{}
	var wantNotes, wantTrades []string
	listed := map[string]bool{}
	for _, id := range j.get("/notes?" + extra).column("id") {
		listed[id] = true
	}
	notes := j.get("/notes").want(http.StatusOK)
	for i := range notes.count("") {
		note := notes.value(fmt.Sprint(i)).(map[string]any)
		texts := []string{note["title"].(string), note["body"].(string)}
		for _, item := range note["symbols"].([]any) {
			texts = append(texts, item.(map[string]any)["symbol"].(string), item.(map[string]any)["body"].(string))
		}
		if trade, linked := note["trade_id"].(string); linked {
			about[trade] = append(about[trade], texts...)
		}
		if hasWords(query, texts...) && listed[note["id"].(string)] {
			wantNotes = append(wantNotes, note["id"].(string))
		}
	}
	trades := j.get("/trades").want(http.StatusOK)
	for i := range trades.count("") {
		trade := trades.value(fmt.Sprint(i)).(map[string]any)
		id := trade["id"].(string)
		texts := slices.Concat(about[id], []string{trade["notes"].(string), trade["symbol"].(string)})
		for _, tag := range trade["tags"].([]any) {
			texts = append(texts, tag.(map[string]any)["name"].(string))
		}
		if hasWords(query, texts...) {
			wantTrades = append(wantTrades, id)
		}
	}
	path := "q=" + url.QueryEscape(query)
	j.get("/notes?"+path+"&"+extra).want(http.StatusOK).wantColumn("id", wantNotes...)
	j.get("/trades?"+path).want(http.StatusOK).wantColumn("id", wantTrades...)
	first := j.get("/notes?limit=2&"+path+"&"+extra).want(http.StatusOK).wantColumn("id", wantNotes[:min(2, len(wantNotes))]...)
	if total := first.header.Get("X-Total-Count"); total != fmt.Sprint(len(wantNotes)) {
		j.w.t.Errorf("%q: %s notes in all, want %d", query, total, len(wantNotes))
	}
}

// TestSearchFollowsEveryWrite writes at random and compares each search with a slow
// one, on both engines.
func TestSearchFollowsEveryWrite(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		j := &searchedJournal{trader: w.trader(), random: rand.New(rand.NewPCG(7, 7))} // repeatable
		second := j.client.addAccount("Second")
		tag := j.made("/tags", more{"name": "Calm"}).text("id")
		extras := []string{"", "type=daily_log", "account_id=" + j.account, "from=" + at(20) + "&to=" + at(40)}
		for step := range 60 {
			j.write()
			switch step {
			case 20:
				trade := second.fill("GAPX", "buy 1@1", 1).text("trade_id")
				second.annotate(trade, more{"tag_ids": []string{tag}, "notes": searchTexts[0]})
				second.made("/notes", more{"body": "gap of the second account", "account_id": second.account})
			case 30:
				j.patch("/tags/"+tag, more{"name": "Gap"}).want(http.StatusOK)
			case 40:
				second.delete("/accounts/" + second.account).wantNone()
			}
			j.compare(j.pick(searchQueries), extras[step%len(extras)])
		}
		for _, query := range searchQueries {
			j.compare(query, "")
		}
	})
}
