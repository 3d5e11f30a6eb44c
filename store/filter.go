package store

import (
	"fmt"
	"strings"
)

const defaultPage = 50

// filter is the condition of a statement in the making, with its parameters.
type filter struct {
	conditions []string
	args       []any
}

// add adds a condition in which each %s stands for one of the values.
func (f *filter) add(condition string, values ...any) {
	params := make([]any, len(values))
	for i, v := range values {
		params[i] = f.param(v)
	}
	f.conditions = append(f.conditions, fmt.Sprintf(condition, params...))
}

// param adds a value and returns what stands for it.
func (f *filter) param(value any) string {
	f.args = append(f.args, value)
	return fmt.Sprintf("$%d", len(f.args))
}

// holding adds that a column, which holds text without case, holds part of it.
func (f *filter) holding(column, part string) {
	if part == "" {
		return
	}
	escaped := strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(fold(text(part)))
	f.add(column+` LIKE %s ESCAPE '\'`, "%"+escaped+"%")
}

// where is the whole condition, empty when there is none.
func (f *filter) where() string {
	if len(f.conditions) == 0 {
		return ""
	}
	return "WHERE " + strings.Join(f.conditions, " AND ")
}

// text is what of a search can stand in a statement: PostgreSQL refuses NUL
// and broken UTF-8, and no name holds either.
func text(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\ufffd"), "\x00", "\ufffd")
}

func pageSize(limit int) int {
	if limit <= 0 {
		return defaultPage
	}
	return limit
}
