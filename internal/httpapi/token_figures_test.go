package httpapi_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

// canaryWord is in every free text in a [figureWalk] journal.
const canaryWord = "zanzibar"

// figureWalk calls the analytics routes on a journal full of texts.
type figureWalk struct {
	trader
	figures *client
	// hidden are the journal's record ids by kind.
	hidden map[string][]string
}

func newFigureWalk(w *world) *figureWalk {
	d := w.trader()
	// Quick trades after losses, so behavior has events.
	trades := d.nets("AAA", "-10", "4", "-7", "3", "-2", "5", "-1", "6")
	for i := range 8 {
		d.fill("BBB", "buy 2@50", 600+3*i)
		trades = append(trades, d.fill("BBB", "sell 2@48", 601+3*i).text("trade_id"))
	}
	tag := d.made("/tags", more{"name": "gap", "description": canaryWord}).text("id")
	setup := d.made("/setups", more{"name": "ORB", "description": canaryWord, "checklist": []string{"wait"}}).text("id")
	for _, id := range trades {
		d.annotate(id, more{
			"notes": canaryWord, "tag_ids": []string{tag}, "setup_ids": []string{setup}, "initial_risk": 4, "mae": 2, "mfe": 8,
			"rules": []more{{"setup_id": setup, "rule": "wait", "state": "followed"}}, "emotional_state": canaryWord,
		})
	}
	d.made("/notes", more{"body": canaryWord, "trade_id": trades[0]})
	d.made("/notes", more{"body": canaryWord, "type": "daily_log", "occurred_at": "2026-01-05", "account_id": d.account})
	d.made("/missed-trades", miss(more{"account_id": d.account, "notes": canaryWord}))
	d.made("/cash-transactions", d.cash("fee", "1", 0, more{"note": canaryWord}))
	d.made("/views", more{"name": canaryWord, "filter": more{"q": canaryWord}})
	d.made("/trading-rules", more{"kind": "max_trades", "params": more{"n": 2}, "valid_from": "2020-01-01"})
	d.attach("/trades/"+trades[0], canaryWord+".png", tinyPNG).want(http.StatusCreated)
	d.imported("Symbol,Side,Quantity,Price,Date\nCCC,buy,1,10,2026-01-05 15:00:00\n")
	d.sendBars("/commit", "BTCUSD.csv", barFile(30)).want(http.StatusOK)

	v := &figureWalk{trader: d, hidden: map[string][]string{}}
	for _, path := range []string{"/trades", "/executions", "/notes", "/imports", "/cash-transactions", "/missed-trades", "/views"} {
		if v.hidden[path], _ = d.pages(path, "id"); len(v.hidden[path]) == 0 {
			w.t.Fatalf("%s has no records", path)
		}
	}
	_, secret := d.mint(more{"name": "figures", "scope": "analytics"})
	v.figures = w.as(secret)
	return v
}

// findHidden returns the kind of the first hidden id or text in an answer, or "".
func (v *figureWalk) findHidden(r *reply) string {
	text := string(r.body)
	for name, values := range r.header {
		text += "\n" + name + strings.Join(values, "\n")
	}
	if strings.Contains(strings.ToLower(text), canaryWord) {
		return "a text"
	}
	for kind, ids := range v.hidden {
		if slices.ContainsFunc(ids, func(id string) bool { return strings.Contains(text, id) }) {
			return "an id of " + kind
		}
	}
	if strings.Contains(text, "/api/v1/trades") {
		return "a link to trades"
	}
	return ""
}

// figureQueries returns queries that show all an operation can show: its required
// parameters with each of their values, and its flags set.
func figureQueries(operation object) []string {
	flags, queries := "", []string{""}
	parameters, _ := operation["parameters"].([]any)
	for _, p := range parameters {
		parameter := p.(object)
		name, _ := parameter["name"].(string)
		schema, _ := parameter["schema"].(object)
		switch {
		case schema["type"] == "boolean":
			flags += "&" + name + "=true"
		case name == "sweep":
			queries = []string{"kind=max_trades&n=1"}
		case name == "symbol" && parameter["required"] == true:
			queries = []string{"symbol=BTCUSD"}
		case parameter["required"] == true:
			queries = nil
			values, _ := schema["enum"].([]any)
			for _, value := range values {
				queries = append(queries, name+"="+value.(string))
			}
		}
	}
	for i := range queries {
		queries[i] += flags
	}
	return queries
}

// textParameters returns an operation's free text parameters.
func textParameters(described document, operation object) (names []string) {
	parameters, _ := operation["parameters"].([]any)
	for _, p := range parameters {
		parameter := p.(object)
		if ref, isRef := parameter["$ref"].(string); isRef {
			parameter = child(child(child(described.root, "components"), "parameters"), strings.TrimPrefix(ref, "#/components/parameters/"))
		}
		schema, _ := parameter["schema"].(object)
		if items, isList := schema["items"].(object); isList {
			schema = items
		}
		if schema["type"] == "string" && schema["enum"] == nil && schema["format"] == nil {
			names = append(names, parameter["name"].(string))
		}
	}
	return names
}

// eachFigure visits the GET operations for tokens with scope analytics.
func eachFigure(described document, visit func(path string, operation object)) {
	described.eachOperation(func(method, path string, operation object) {
		scopes, _ := operation["x-token-scopes"].([]any)
		if path, isAPI := strings.CutPrefix(path, "/api/v1"); isAPI && method == http.MethodGet && slices.Contains(scopes, any("analytics")) {
			visit(path, operation)
		}
	})
}

// TestTokenForFiguresSeesNoRecords calls every GET route for tokens with scope analytics,
// found in the description: no answer has a record's id or text.
func TestTokenForFiguresSeesNoRecords(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		v := newFigureWalk(w)
		routes := 0
		found := map[string]bool{} // paths with something to hide
		eachFigure(readDescription(t, w.api), func(path string, operation object) {
			routes++
			for _, query := range figureQueries(operation) {
				// The session's answer is cached first: hiding must not depend on the cache, nor change it.
				all := v.get(path + "?" + query).want(http.StatusOK)
				got := v.figures.get(path + "?" + query).want(http.StatusOK)
				if kind := v.findHidden(got); kind != "" {
					t.Errorf("%s shows %s: %.300s", got.call, kind, got.body)
				}
				found[path] = found[path] || v.findHidden(all) != ""
				v.get(path + "?" + query).wantSame(all)
			}
		})
		if routes < 20 {
			t.Errorf("only %d routes", routes)
		}
		for _, path := range []string{"/analytics/summary", "/analytics/behavior", "/analytics/excursions", "/analytics/breakdown", "/analytics/rules", "/trading-rules/results", "/analytics/what-if"} {
			if !found[path] {
				t.Errorf("%s has nothing to hide", path)
			}
		}
	})
}

// guess is how figures treat a parameter text from a token with scope analytics.
type guess struct {
	// shown: figures show such texts anyway.
	shown bool
	// right is a value in some trade. Wrong ones are tried too.
	right string
	// with are further parameters; for shown texts, all others.
	with string
}

// TestTokenForFiguresCannotGuess sends texts in every text parameter on every analytics
// route. Either figures show such texts anyway, or the parameter is refused, whether the
// text is right or wrong.
func TestTokenForFiguresCannotGuess(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		v := newFigureWalk(w)
		rule := v.get("/trading-rules").text("0.id")
		guesses := map[string]guess{
			"account_id": {shown: true, right: v.account}, "other_account_id": {shown: true, right: v.account},
			"tag_id": {shown: true, right: v.get("/tags").text("0.id")}, "setup_id": {shown: true, right: v.get("/setups").text("0.id")},
			"symbol": {shown: true, right: "AAA"}, "root": {shown: true, right: "AAA"}, "instrument_type": {shown: true, right: "stock"},
			"currency": {shown: true, right: "USD"},
			"tz":       {shown: true, right: "Europe/Berlin"}, "filter_tz": {shown: true, right: "Europe/Berlin"},
			"q": {right: canaryWord}, "emotional_state": {right: canaryWord}, "rule": {right: canaryWord},
			"trade_id": {right: v.hidden["/trades"][0]}, "import_batch_id": {right: v.hidden["/imports"][0]},
			"view_id":     {right: v.hidden["/views"][0], with: "&against=view"},
			"rule_broken": {shown: true, right: rule}, "rule_kept": {shown: true, right: rule}, "rule_id": {shown: true, right: rule, with: "tz=UTC"},
			"kind": {shown: true, right: "stop_set", with: "tz=UTC"}, "sweep": {shown: true, right: "n:1:2:1"}, "before": {shown: true, right: "09:30", with: "kind=no_trading"},
			"after": {shown: true, right: "09:30", with: "kind=no_trading"}, "between": {shown: true, right: "09:30-10:00", with: "kind=no_trading"},
			"setup_ids": {shown: true, right: v.get("/setups").text("0.id"), with: "kind=avoid_setups"},
			"tag_ids":   {shown: true, right: v.get("/tags").text("0.id"), with: "kind=avoid_tags"},
			"symbols":   {shown: true, right: "AAA", with: "kind=only_symbols"},
		}
		sent := map[string]bool{}
		described := readDescription(t, w.api)
		eachFigure(described, func(path string, operation object) {
			if !strings.HasPrefix(path, "/analytics/") {
				return // bars and name lists have no filter
			}
			query := path + "?" + figureQueries(operation)[0]
			without := v.figures.get(query).want(http.StatusOK)
			for _, name := range textParameters(described, operation) {
				g, known := guesses[name]
				if !known {
					t.Errorf("%s: decide whether tokens for figures may send %s, and add it to the table", path, name)
				}
				sent[name] = true
				if g.shown {
					others := query
					if g.with != "" {
						others = path + "?" + g.with
					}
					got := v.figures.get(others + "&" + name + "=" + g.right).want(http.StatusOK)
					if kind := v.findHidden(got); kind != "" {
						t.Errorf("%s shows %s: %.300s", got.call, kind, got.body)
					}
					continue
				}
				// The parameter means something to others.
				v.get(query + "&" + name + "=" + g.right + g.with).want(http.StatusOK)
				for _, value := range []string{g.right, unknown(), "&" + name + "=" + g.right} {
					v.figures.get(query+g.with+"&"+name+"="+value).wantError(http.StatusForbidden, "insufficient_scope").
						is("error.details.required", `["read","write","full"]`).is("error.details.field", `"`+name+`"`)
				}
				v.figures.get(query + "&" + name + "=").wantSame(without)
			}
		})
		for name := range guesses {
			if !sent[name] {
				t.Errorf("no route has %s", name)
			}
		}
	})
}
