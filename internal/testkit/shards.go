package testkit

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// ShardRules are the rules for statements run by a distributed database (Citus) on one
// node: each distributed table has a condition setting its distribution column equal to
// an argument; a subquery over a distributed table does not refer to an outer query with
// reference tables only; a text is one statement.
//
// Columns contains each distributed table's distribution column. Other tables are
// reference tables, or local to the statement.
type ShardRules struct {
	Columns map[string]string
}

// Check returns an error naming the table and the rule if a statement does not follow the
// rules.
func (r ShardRules) Check(statement string) error {
	tokens := splitTokens(statement)
	if i := slices.Index(tokens, ";"); i >= 0 && i < len(tokens)-1 {
		return errors.New("it contains several statements: send them one by one")
	}
	return r.checkGroup(tokens, nil)
}

// sqlToken matches a token: a comment, a text, a name with a prefix, an
// argument, a number, or a character. Comments are dropped.
var sqlToken = regexp.MustCompile(`--[^\n]*|(?s:/\*.*?\*/)|'(?:[^']|'')*'|"[^"]*"|\$\d+|[A-Za-z_][A-Za-z_0-9]*(?:\.[A-Za-z_][A-Za-z_0-9]*)?|\d+|<>|<=|>=|\S`)

func splitTokens(statement string) []string {
	return slices.DeleteFunc(sqlToken.FindAllString(statement, -1), func(token string) bool {
		return strings.HasPrefix(token, "--") || strings.HasPrefix(token, "/*")
	})
}

// shardQuery is one SELECT, INSERT, UPDATE or DELETE, without its subqueries.
type shardQuery struct {
	tokens []string // each group in parentheses is one "()"
	tables map[string]string
	outer  *shardQuery
}

// checkGroup checks the queries in a text, or in a group in parentheses: one, or several
// combined by a set operator.
func (r ShardRules) checkGroup(tokens []string, outer *shardQuery) error {
	start, depth := 0, 0
	for i, token := range tokens {
		switch strings.ToUpper(token) {
		case "(":
			depth++
		case ")":
			depth--
		case "UNION", "INTERSECT", "EXCEPT":
			if depth == 0 {
				if err := r.checkQuery(tokens[start:i], outer); err != nil {
					return err
				}
				start = i + 1
			}
		}
	}
	return r.checkQuery(tokens[start:], outer)
}

// checkQuery checks one query and then its subqueries. A group in parentheses without a
// query, such as an argument list, is searched for them too.
func (r ShardRules) checkQuery(tokens []string, outer *shardQuery) error {
	q := &shardQuery{outer: outer}
	var groups [][]string
	depth, start := 0, 0
	for i, token := range tokens {
		switch {
		case token == "(":
			if depth == 0 {
				start = i + 1
			}
			depth++
		case token == ")":
			if depth--; depth == 0 {
				groups = append(groups, tokens[start:i])
				q.tokens = append(q.tokens, "()")
			}
		case depth == 0:
			q.tokens = append(q.tokens, token)
		}
	}
	isQuery := slices.ContainsFunc(q.tokens, func(token string) bool {
		return slices.Contains([]string{"SELECT", "INSERT", "UPDATE", "DELETE"}, strings.ToUpper(token))
	})
	next := outer
	if isQuery {
		q.findTables()
		next = q
		if err := r.checkTables(q, groups); err != nil {
			return err
		}
	}
	for _, group := range groups {
		if err := r.checkGroup(group, next); err != nil {
			return err
		}
	}
	return nil
}

var (
	afterTable = []string{
		"WHERE", "GROUP", "ORDER", "HAVING", "LIMIT", "RETURNING", "SET", "ON", "JOIN", "LEFT", "INNER", "CROSS", "VALUES",
		"SELECT", "FOR", "DO", "USING", "FROM",
	}
	isTableName = regexp.MustCompile(`^[a-z_][a-z_0-9]*$`)
)

// findTables sets tables: the table for each name conditions may use.
func (q *shardQuery) findTables() {
	q.tables = map[string]string{}
	for i, token := range q.tokens {
		previous := strings.ToUpper(q.tokens[max(i-1, 0)])
		switch strings.ToUpper(token) {
		case "FROM":
			if previous == "DISTINCT" { // IS DISTINCT FROM
				continue
			}
			q.addTables(i + 1)
		case "JOIN", "INTO", "USING":
			q.addTables(i + 1)
		case "UPDATE":
			if previous != "DO" && previous != "FOR" {
				q.addTables(i + 1)
			}
		}
	}
}

// addTables adds the tables in a list: name AS alias, name alias or name.
func (q *shardQuery) addTables(i int) {
	for i < len(q.tokens) {
		name := q.tokens[i]
		if name != "()" && !isTableName.MatchString(name) {
			return
		}
		i++
		alias := name
		if i < len(q.tokens) && strings.EqualFold(q.tokens[i], "AS") {
			i++
		}
		if i < len(q.tokens) && isTableName.MatchString(q.tokens[i]) && !slices.Contains(afterTable, strings.ToUpper(q.tokens[i])) {
			alias = q.tokens[i]
			i++
		}
		q.tables[alias] = name
		if i >= len(q.tokens) || q.tokens[i] != "," {
			return
		}
		i++
	}
}

// checkTables checks one query's distributed tables.
func (r ShardRules) checkTables(q *shardQuery, groups [][]string) error {
	distributed := []string{}
	for alias, table := range q.tables {
		if r.Columns[table] != "" {
			distributed = append(distributed, alias)
		}
	}
	slices.SortFunc(distributed, func(a, b string) int { return slices.Index(q.tokens, a) - slices.Index(q.tokens, b) })
	if strings.EqualFold(q.tokens[0], "INSERT") && len(groups) > 0 && len(distributed) > 0 {
		table := q.tables[distributed[0]]
		if !slices.Contains(groups[0], r.Columns[table]) {
			return fmt.Errorf("it inserts into %s without a value for %s", table, r.Columns[table])
		}
		distributed = distributed[1:] // the rest is in INSERT … SELECT
	}
	constant := r.constants(q, distributed)
	for _, alias := range distributed {
		if table := q.tables[alias]; !constant[alias] {
			return fmt.Errorf("%s has no condition %s = $n; a distributed database would ask all nodes", table, r.Columns[table])
		}
	}
	if len(distributed) > 0 && q.outer != nil && r.isReferenceOnly(q.outer) {
		return q.checkUncorrelated()
	}
	return nil
}

// constants returns the names of tables whose distribution column equals an argument,
// directly or through another table in the same query.
func (r ShardRules) constants(q *shardQuery, distributed []string) map[string]bool {
	constant := map[string]bool{}
	if slices.ContainsFunc(q.tokens, func(token string) bool { return strings.EqualFold(token, "OR") }) {
		return constant // a condition may not apply to all rows
	}
	for range distributed { // until nothing changes
		for i, token := range q.tokens {
			if token != "=" || i == 0 || i == len(q.tokens)-1 {
				continue
			}
			left, right := q.tokens[i-1], q.tokens[i+1]
			a, b := r.owner(q, left, distributed), r.owner(q, right, distributed)
			if a != "" && (strings.HasPrefix(right, "$") || constant[b]) {
				constant[a] = true
			}
			if b != "" && (strings.HasPrefix(left, "$") || constant[a]) {
				constant[b] = true
			}
		}
	}
	return constant
}

// owner returns the name of the table whose distribution column a token is, or "" if
// there is none.
func (r ShardRules) owner(q *shardQuery, token string, distributed []string) string {
	alias, column, qualified := strings.Cut(token, ".")
	if !qualified {
		if len(distributed) != 1 {
			return ""
		}
		alias, column = distributed[0], token
	}
	if table := q.tables[alias]; table != "" && r.Columns[table] == column {
		return alias
	}
	return ""
}

func (r ShardRules) isReferenceOnly(q *shardQuery) bool {
	if len(q.tables) == 0 {
		return false
	}
	for _, table := range q.tables {
		if r.Columns[table] != "" || table == "()" {
			return false
		}
	}
	return true
}

// checkUncorrelated returns an error if the query uses an outer column.
func (q *shardQuery) checkUncorrelated() error {
	for _, token := range q.tokens {
		alias, _, qualified := strings.Cut(token, ".")
		if qualified && q.tables[alias] == "" && q.outer.tables[alias] != "" {
			return fmt.Errorf("a subquery uses %s of the outer query, which has reference tables only; use two statements", token)
		}
	}
	return nil
}
