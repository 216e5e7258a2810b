package httpapi

import (
	"net/http"
	"net/url"

	"github.com/danielgtaylor/huma/v2"

	"fillbook/internal/trading/tradefilter"
)

// TradeFilter is the trade filter, the same for lists, exports and figures. Package
// tradefilter defines its parameters.
type TradeFilter struct {
	filter tradefilter.Filter
	sent   url.Values // the filter parameters
}

// resolve parses the parameters.
func (in *TradeFilter) resolve(r *http.Request) (err error) {
	query := r.URL.Query()
	in.filter, err = tradefilter.Parse(query)
	in.sent = tradefilter.Select(query)
	return err
}

// filterPrefix begins the filter parameter names in the description, and filterRef the
// references to them.
const (
	filterPrefix = "filter."
	filterRef    = "#/components/parameters/" + filterPrefix
)

// hasFilter is implemented by queries with a TradeFilter.
func (TradeFilter) hasFilter() {}

// describeFilter returns the filter parameters, which are described once, if a query
// contains them.
func describeFilter(input any) (list []*huma.Param) {
	if _, has := input.(interface{ hasFilter() }); !has {
		return nil
	}
	for _, p := range tradefilter.Parameters() {
		list = append(list, &huma.Param{Ref: filterRef + p.Name})
	}
	return list
}

// describeFilterParameters returns the descriptions for describeFilter.
func describeFilterParameters() map[string]*huma.Param {
	described := map[string]*huma.Param{}
	for _, p := range tradefilter.Parameters() {
		param := &huma.Param{Name: p.Name, In: "query", Description: p.About, Schema: describeFilterValue(&p)}
		if p.List {
			explode := true
			param.Description += " A list: separated by commas, repeated, or both."
			param.Explode, param.Schema = &explode, &huma.Schema{Type: huma.TypeArray, Items: param.Schema}
		}
		described[filterPrefix+p.Name] = param
	}
	return described
}

func describeFilterValue(p *tradefilter.Parameter) *huma.Schema {
	schema := &huma.Schema{Type: string(p.Type), Format: p.Format}
	for _, value := range p.Values {
		schema.Enum = append(schema.Enum, value)
	}
	if p.Bounds != nil {
		least, most := float64(p.Bounds.Min), float64(p.Bounds.Max)
		schema.Minimum, schema.Maximum = &least, &most
	}
	return schema
}

// repeatable are the filter parameters that may be repeated.
var repeatable = listRepeatable()

func listRepeatable() (names []string) {
	for _, p := range tradefilter.Parameters() {
		if p.List {
			names = append(names, p.Name)
		}
	}
	return names
}
