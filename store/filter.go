package store

import (
	"fmt"
	"strings"
)

const defaultPage = 50

// filter builds the condition of a statement, with its parameters.
type filter struct {
	conditions []string
	args       []any
}

// add adds a condition in which each %s is replaced by the placeholder of a value, in order.
func (f *filter) add(condition string, values ...any) {
	params := make([]any, len(values))
	for i, v := range values {
		params[i] = f.param(v)
	}
	f.conditions = append(f.conditions, fmt.Sprintf(condition, params...))
}

// param adds a value and returns its placeholder.
func (f *filter) param(value any) string {
	f.args = append(f.args, value)
	return fmt.Sprintf("$%d", len(f.args))
}

// holding adds the condition that at least one of these columns of case-folded text contains part.
func (f *filter) holding(part string, columns ...string) {
	if part == "" {
		return
	}
	pattern := f.param("%" + literal(fold(text(part))) + "%")
	each := make([]string, len(columns))
	for i, column := range columns {
		each[i] = column + ` LIKE ` + pattern + ` ESCAPE '\'`
	}
	f.conditions = append(f.conditions, "("+strings.Join(each, " OR ")+")")
}

// literal escapes a text for LIKE with ESCAPE '\'.
func literal(part string) string {
	return strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(part)
}

// where returns the WHERE clause, or "" if there are no conditions.
func (f *filter) where() string {
	if len(f.conditions) == 0 {
		return ""
	}
	return "WHERE " + strings.Join(f.conditions, " AND ")
}

// text makes a string safe for a statement: PostgreSQL rejects NUL and invalid UTF-8, and no name
// contains either.
func text(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\ufffd"), "\x00", "\ufffd")
}

func pageSize(limit int) int {
	if limit <= 0 {
		return defaultPage
	}
	return limit
}
