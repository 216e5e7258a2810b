package backup

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/intake/statement"
	"fillbook/internal/prices/market"
	"fillbook/internal/testkit"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/playbook"
	"fillbook/internal/trading/programs"
	"fillbook/internal/trading/routine"
	"fillbook/internal/trading/rules"
	"fillbook/internal/trading/strategies"
)

// keyOrders are the key orders a hostile file may have.
var keyOrders = map[string]func(n int) []int{
	"equal":       func(n int) []int { return make([]int, n) },
	"alternating": func(n int) []int { return keysBy(n, func(i int) int { return i % 2 }) },
	"reversed":    func(n int) []int { return keysBy(n, func(i int) int { return n - i }) },
	"random":      func(n int) []int { return rand.New(rand.NewPCG(1, 2)).Perm(n) },
}

func keysBy(n int, key func(i int) int) []int {
	keys := make([]int, n)
	for i := range keys {
		keys[i] = key(i)
	}
	return keys
}

// hostileSection makes a backup section with one record per key. Record i has key
// keys[i].
type hostileSection struct {
	// n is how many records are compared with twice as many.
	n    int
	fill func(d *Document, keys []int)
}

// hostileSections has a case for every section.
var hostileSections = map[string]hostileSection{
	"accounts": {400, func(d *Document, keys []int) {
		d.Accounts = eachKey(keys, func(_, key int) Bundle {
			return Bundle{Account: Account{Name: fmt.Sprint("Account ", key), Broker: "x"}}
		})
	}},
	"accounts.instrument_overrides": {1000, func(d *Document, keys []int) {
		d.Accounts[0].Overrides = eachKey(keys, func(_, key int) Override {
			return Override{Root: fmt.Sprint("R", key), Multiplier: decimal.New(2)}
		})
	}},
	"accounts.executions": {1500, func(d *Document, keys []int) {
		d.Accounts[0].Executions = eachKey(keys, func(i, key int) Execution { return hostileFill(i%2 == 0, key) })
	}},
	"accounts.trades": {1500, func(d *Document, keys []int) {
		d.Accounts[0].Executions = eachKey(make([]int, 200), func(i, _ int) Execution { return hostileFill(true, i*1000) })
		for i := range d.Accounts[0].Executions {
			d.Accounts[0].Executions[i].Symbol = fmt.Sprint("S", i)
		}
		d.Accounts[0].Trades = eachKey(keys, func(i, key int) TradeAnnotations {
			return TradeAnnotations{Fills: []int{key % 200}, Annotations: hostileAnnotations(i)}
		})
	}},
	"accounts.cash_transactions": {1500, func(d *Document, keys []int) {
		d.Accounts[0].Cash = eachKey(keys, func(i, key int) Cash {
			return Cash{CashValues: CashValues{
				Type: ledger.Deposit, Amount: statedAmount{decimal.New(1)}, OccurredAt: hostileTime(key), Note: fmt.Sprint(i),
			}}
		})
	}},
	"accounts.orphans": {1500, func(d *Document, keys []int) {
		d.Accounts[0].Orphans = eachKey(keys, func(i, key int) Orphan {
			return Orphan{
				Symbol: "AAPL", OrphanedAt: Instant{hostileTime(key)}, FillKeys: []string{fmt.Sprint("key ", i)}, Annotations: hostileAnnotations(i),
			}
		})
	}},
	"accounts.strategies": {1500, func(d *Document, keys []int) {
		d.Accounts[0].Strategies = eachKey(keys, func(i, key int) Strategy {
			return Strategy{
				Underlying: "AAPL", State: strategies.Manual, CreatedAt: Instant{hostileTime(key)}, Members: [][]string{{fmt.Sprint("key ", i)}},
				Annotations: hostileAnnotations(i),
			}
		})
	}},
	"accounts.deleted_fills": {1500, func(d *Document, keys []int) {
		d.Accounts[0].Deleted = eachKey(keys, func(_, key int) DeletedFill {
			x := hostileFill(true, key)
			return DeletedFill{DeletedAt: x.ExecutedAt, Symbol: x.Symbol, Side: x.Side, Quantity: x.Quantity, Price: x.Price, ExecutedAt: x.ExecutedAt}
		})
	}},
	"accounts.deleted_cash": {1500, func(d *Document, keys []int) {
		d.Accounts[0].DeletedCash = eachKey(keys, func(_, key int) DeletedCash {
			return DeletedCash{DeletedAt: Instant{hostileTime(key)}, Type: string(ledger.Deposit), Amount: decimal.New(1), OccurredAt: Instant{hostileTime(key)}}
		})
	}},
	"accounts.connections": {1500, func(d *Document, keys []int) {
		d.Accounts[0].Connections = eachKey(keys, func(_, key int) Connection {
			return Connection{Provider: "acme", Name: fmt.Sprint("Connection ", key), Schedule: "daily"}
		})
	}},
	"tags": {2000, func(d *Document, keys []int) {
		d.Tags = eachKey(keys, func(_, key int) Tag { return Tag{Name: fmt.Sprint("tag ", key)} })
	}},
	"setups": {1500, func(d *Document, keys []int) {
		d.Setups = eachKey(keys, func(i, key int) Setup {
			return Setup{SetupChange: playbook.SetupChange{Name: journal.Some(fmt.Sprint("setup ", key)), Thesis: journal.Some(fmt.Sprint(i))}}
		})
	}},
	"notes": {1500, func(d *Document, keys []int) {
		d.Notes = eachKey(keys, func(i, key int) Note {
			return Note{NoteValues: NoteValues{OccurredAt: journal.FormatInstant(hostileTime(key)), Body: statedText(fmt.Sprint("note ", i))}}
		})
	}},
	"missed_trades": {1500, func(d *Document, keys []int) {
		d.Missed = eachKey(keys, func(i, key int) Missed {
			return Missed{MissedValues: MissedValues{
				Symbol: "AAPL", Direction: playbook.Long, ObservedAt: hostileTime(key), Notes: fmt.Sprint("missed ", i),
			}}
		})
	}},
	"note_templates": {1500, func(d *Document, keys []int) {
		d.NoteTemplates = eachKey(keys, func(_, key int) NoteTemplate {
			return NoteTemplate{Name: fmt.Sprint("template ", key), Type: "note", Body: "x", Default: true}
		})
	}},
	"corporate_actions": {1500, func(d *Document, keys []int) {
		d.CorporateActions = eachKey(keys, func(_, key int) CorporateAction {
			return CorporateAction{Kind: "split", Symbol: fmt.Sprint("S", key), RatioNew: 2, RatioOld: 1, EffectiveOn: "2024-01-02", Zone: "UTC"}
		})
	}},
	"views": {1000, func(d *Document, keys []int) {
		d.Views = eachKey(keys, func(_, key int) View { return View{Name: fmt.Sprint("view ", key)} })
	}},
	"rates": {1500, func(d *Document, keys []int) {
		d.Rates = eachKey(keys, func(_, key int) Rate {
			return Rate{Base: "USD", Quote: "TWD", On: string(journal.Day("2020-01-01").AddDays(key)), Rate: decimal.New(1)}
		})
	}},
	"prop_programs": {400, func(d *Document, keys []int) {
		d.Programs = eachKey(keys, func(_, key int) PropProgram { return PropProgram{Program: hostileProgram(key)} })
	}},
	"enrollments": {400, func(d *Document, keys []int) {
		d.Enrollments = eachKey(keys, func(_, key int) Enrollment {
			return Enrollment{Account: 0, ProgramID: "acme", Program: hostileProgram(key), StartedAt: Instant{hostileTime(key)}}
		})
	}},
	"trading_rules": {500, func(d *Document, keys []int) {
		d.TradingRules = eachKey(keys, func(i, key int) TradingRule {
			before := max(0, i-1)
			return TradingRule{
				Kind: rules.MaxTrades, Params: rules.Params{N: key + 1}, TZ: "UTC", ValidFrom: journal.DayOf(hostileTime(key * 86400)), Predecessor: &before,
			}
		})
	}},
	"goals": {200, func(d *Document, keys []int) {
		d.Goals = eachKey(keys, func(_, key int) Goal {
			return Goal{
				Kind: rules.ProcessGoal, Metric: rules.TradeCount, Target: decimal.New(int64(key) + 1), Period: rules.Weekly,
				StartsOn: journal.DayOf(hostileTime(key * 86400)),
			}
		})
	}},
	"routines": {1500, func(d *Document, keys []int) {
		d.Routine.Items = eachKey(keys, func(i, key int) RoutineItem {
			return RoutineItem{
				ItemValues: routine.ItemValues{Title: fmt.Sprint("item ", key), Stage: "pre", Weekdays: 127, StartDay: journal.DayOf(hostileTime(key * 86400))},
				Chain:      max(0, i-key%3), Done: []journal.Day{journal.DayOf(hostileTime(key * 86400))},
			}
		})
	}},
	"preferences": {400, func(d *Document, keys []int) {
		d.Preferences = values{}
		for _, key := range keys {
			d.Preferences[fmt.Sprint("key ", key)] = jsontext.Value(`1`)
		}
	}},
	"settings": {1500, func(d *Document, keys []int) {
		d.Settings = Settings{Timezone: "Europe/Berlin", BreakevenTolerance: jsontext.Value(fmt.Sprint(keys[0]))}
	}},
	"import_layouts": {1500, func(d *Document, keys []int) {
		d.ImportLayouts = eachKey(keys, func(_, key int) ImportLayout {
			return ImportLayout{
				Signature: fmt.Sprint("layout ", key), Name: "x", ColumnMapping: map[string]string{"symbol": "Symbol"},
				Accounts: []LayoutAccount{{Account: 0}},
			}
		})
	}},
	"import_kinds": {1500, func(d *Document, keys []int) {
		d.ImportKinds = eachKey(keys, func(_, key int) WordKind {
			return WordKind{Layout: "broker/export", Word: fmt.Sprint("word ", key), Kind: statement.Kinds()[0]}
		})
	}},
	"bar_aliases": {1500, func(d *Document, keys []int) {
		d.BarAliases = eachKey(keys, func(_, key int) BarAlias { return BarAlias{Symbol: fmt.Sprint("A", key), BarsSymbol: "ES"} })
	}},
	"bar_sources": {1500, func(d *Document, keys []int) {
		d.BarSources = eachKey(keys, func(_, key int) BarSource { return BarSource{Provider: fmt.Sprint("provider ", key)} })
	}},
	"channels": {1500, func(d *Document, keys []int) {
		d.Channels = eachKey(keys, func(_, key int) Channel { return Channel{Kind: "webhook", Name: fmt.Sprint("channel ", key)} })
	}},
	"bars": {1500, func(d *Document, keys []int) {
		half := len(keys) / 2 // series with one block, and blocks in one series
		d.Bars = eachKey(keys[:half], func(i, key int) BarSeries {
			return hostileBars(fmt.Sprint("S", key%100), [][]byte{hostileBlock(i)})
		})
		d.Bars = append(d.Bars, hostileBars("ONE", eachKey(keys[half:], func(_, key int) []byte { return hostileBlock(key) })))
	}},
	"attachments": {20_000, func(d *Document, keys []int) {
		d.Notes = []Note{{NoteValues: NoteValues{OccurredAt: "2026-03-02", Body: "note"}}}
		d.Attachments = eachKey(keys, func(_, key int) FileRef {
			place := key % 2
			return FileRef{Name: fmt.Sprint(key, ".png"), Path: fmt.Sprint("attachments/", key), Note: &place}
		})
	}},
}

func eachKey[T any](keys []int, record func(i, key int) T) []T {
	list := make([]T, len(keys))
	for i, key := range keys {
		list[i] = record(i, key)
	}
	return list
}

func hostileTime(key int) time.Time { return morning.Add(time.Duration(key) * time.Second) }

func hostileFill(isBuy bool, key int) Execution {
	x := Execution{
		Symbol: "AAPL", InstrumentType: "stock", Side: "sell", Quantity: decimal.New(1), Price: decimal.New(10), ExecutedAt: Instant{hostileTime(key)},
	}
	if isBuy {
		x.Side = "buy"
	}
	return x
}

// hostileAnnotations are annotations with their own text, tag and setup.
func hostileAnnotations(i int) Annotations {
	a := Annotations{Tags: []string{fmt.Sprint("tag ", i)}, Setups: []string{fmt.Sprint("setup ", i%500)}}
	a.Notes = fmt.Sprint("annotation ", i)
	a.Rules = []Rule{{Setup: "setup", Rule: fmt.Sprint("rule ", -i), State: playbook.RuleFollowed}}
	return a
}

func hostileBlock(key int) []byte {
	at := morning.Unix()/60*60 + int64(key%5000)*60
	bar := market.Bar{Time: at, Open: 100, High: 110, Low: 90, Close: 105}
	return market.Block{Secs: 60, Bars: []market.Bar{bar}}.AppendTo(nil)
}

func hostileBars(symbol string, blocks [][]byte) BarSeries {
	from := morning.Unix() / 60 * 60
	return BarSeries{
		Symbol: symbol, BarSecs: 60, PriceKind: market.TradePrice, Ranges: []int64{from, from + 5000*60}, Blocks: blocks,
	}
}

// sectionNames returns the names of all backup sections, account sections with a prefix.
func sectionNames() []string {
	var names []string
	for prefix, section := range map[string]reflect.Type{"": reflect.TypeFor[Document](), "accounts.": reflect.TypeFor[Bundle]()} {
		for field := range section.Fields() {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if name != "" && name != "-" && !slices.Contains(notSummed, name) && prefix+name != "accounts.account" {
				names = append(names, prefix+name)
			}
		}
	}
	slices.Sort(names)
	return names
}

func TestEverySectionHasAHostileCase(t *testing.T) {
	t.Parallel()
	if got, want := slices.Sorted(maps.Keys(hostileSections)), sectionNames(); !slices.Equal(got, want) {
		t.Errorf("cases %q\nsections %q", got, want)
	}
}

// TestRestoreIsLinear restores each section with n and 2n records in hostile orders, into
// an empty journal and into one that has them. In make test, n is a third.
func TestRestoreIsLinear(t *testing.T) { // not parallel: it measures the process
	h := oneFixture(t)
	for _, name := range slices.Sorted(maps.Keys(hostileSections)) {
		section := hostileSections[name]
		for _, order := range slices.Sorted(maps.Keys(keyOrders)) {
			t.Run(name+"/"+order, func(t *testing.T) { // not parallel: it measures the process
				testkit.CheckGrowth(t, section.n/testkit.Rounds(3, 1), func(n int) {
					doc := hostileDocument(section, keyOrders[order](n))
					owner := h.user(t)
					for range 2 {
						must(t, h.db.View(h.ctx(), func(tx *db.Tx) error {
							_, err := Preview(h.ctx(), tx, owner, doc, "")
							return err
						}))
						_, err := h.tryRestore(Order{Owner: owner, Document: doc})
						must(t, err)
					}
				})
			})
		}
	}
}

func hostileDocument(section hostileSection, keys []int) *Document {
	doc := &Document{Format: formatName, Version: formatVersion, Accounts: []Bundle{{Account: Account{Name: "Main", Broker: "x"}}}}
	section.fill(doc, keys)
	return doc
}

func hostileProgram(key int) programs.Program {
	return programs.Program{
		Firm: "Firm", Name: fmt.Sprint("program ", key), Phase: programs.PhaseFunded, Product: "futures", Version: 1, Currency: "USD",
		InitialBalance: decimal.New(1000), Day: programs.DayBounds{Reset: "00:00", Zone: "UTC"},
	}
}
