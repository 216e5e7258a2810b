package demo

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"fillbook/internal/trading/rules"
)

//go:embed data.json
var dataJSON []byte

// data is data.json's content.
type data struct {
	Phases      []phase
	Markets     map[string]market
	Instruments []instrument
	Accounts    []accountData
	Ideas       []idea
	Rules       []rules.Rule
	Goals       []rules.Goal
	Enrollments []Enrollment
	Setups      []Setup
	Tags        []Tag
	Habits      []habit
	Pages       []page
	Phrases     phrases
}

// accountData describes an account: its cash transactions, the usual risk per trade and,
// if not 0, the largest position amount.
type accountData struct {
	Name, Broker, Type string
	Balance            int64
	Risk, MaxAmount    float64
	Transfers          []transfer
	Monthly            []monthlyCash
}

// page is a note without a day. Percent is when it was written, in percent of the
// journal.
type page struct {
	Percent              float64
	Account, Title, Body string
}

// loadData reads data.json once. The result must not be changed.
var loadData = sync.OnceValue(func() *data {
	var d data
	decoder := json.NewDecoder(bytes.NewReader(dataJSON))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&d); err != nil {
		panic("demo: data.json: " + err.Error())
	}
	for i := range d.Instruments {
		d.Instruments[i].market = d.Markets[d.Instruments[i].Market]
	}
	return &d
})

// phrases are lists of sentences by name. Words in braces are placeholders; a list's use
// decides which ones it may have.
type phrases map[string][]string

// choose returns a random sentence from a list. The values are pairs of placeholder and
// text.
func (p phrases) choose(rng random, list string, values ...string) string {
	return strings.NewReplacer(values...).Replace(pick(rng, p[list]))
}

// bullets returns up to n different sentences from a list, as a Markdown list.
func (p phrases) bullets(rng random, list string, n int, values ...string) string {
	var lines []string
	for range n {
		if line := "- " + p.choose(rng, list, values...); !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}
