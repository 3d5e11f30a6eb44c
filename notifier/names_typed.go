package notifier

import (
	"slices"
	"strings"
)

// maxNameWords is the longest name, in words, that is recognised among names separated by spaces.
// maxNameRuns is the maximum number of word sequences that are looked up for one text.
const maxNameWords, maxNameRuns = 6, 5000

// TypedNames is a list of names that a user typed or pasted.
type TypedNames struct {
	Names   []string            // spelt as in the directory; unknown names as typed
	Unclear map[string][]string // by ambiguous name: the directory's names that differ only in case from it and from each other
}

// ReadNames splits a text into names, which may be separated by commas, semicolons, tabs,
// line breaks or spaces, and may be in any case. A name may contain all of these except tabs
// and line breaks: a text that is a whole existing name is not split. known returns, for each
// name, the directory's names that are equal except for case. It is called at most three
// times, and with more than MaxNames names only to find names of several words.
func ReadNames(text string, known func(names []string) (map[string][]string, error)) (TypedNames, error) {
	r := nameReader{known: known, found: map[string][]string{}, taken: map[string]bool{}, TypedNames: TypedNames{Unclear: map[string][]string{}}}
	lines := cut(text, func(c rune) bool { return strings.ContainsRune("\t\n\v\f\r\u0085\u2028\u2029", c) })
	if err := r.ask(lines); err != nil {
		return TypedNames{}, err
	}
	parts := r.split(lines, func(line string) []string {
		return cut(line, func(c rune) bool { return strings.ContainsRune(",;，；、", c) })
	})
	if err := r.ask(parts); err != nil {
		return TypedNames{}, err
	}
	var runs []string
	for _, part := range parts {
		if more := runsOf(strings.Fields(part)); !r.has(part) && len(runs)+len(more) <= maxNameRuns {
			runs = append(runs, more...)
		}
	}
	slices.Sort(runs)
	if err := r.ask(slices.Compact(runs)); err != nil {
		return TypedNames{}, err
	}
	for _, part := range r.split(parts, r.words) {
		r.take(part)
	}
	return r.TypedNames, nil
}

// nameReader holds the names found so far in one text.
type nameReader struct {
	known func(names []string) (map[string][]string, error)
	found map[string][]string
	taken map[string]bool
	TypedNames
}

func (r *nameReader) ask(names []string) error {
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return r.has(name) || !ValidName(name) })
	if len(names) == 0 {
		return nil
	}
	found, err := r.known(names)
	for name, same := range found {
		r.found[name] = same
	}
	return err
}

func (r *nameReader) has(name string) bool { return len(r.found[name]) > 0 }

// split splits the parts that are not existing names.
func (r *nameReader) split(parts []string, apart func(string) []string) []string {
	var all []string
	for _, part := range parts {
		if r.has(part) {
			all = append(all, part)
		} else {
			all = append(all, apart(part)...)
		}
		if len(all) > MaxNames {
			return all[:MaxNames+1] // one more than any draft may have
		}
	}
	return all
}

// words splits a part into names of one or more words, preferring the longest. If no word
// is a name, the whole part counts as one unknown name.
func (r *nameReader) words(part string) []string {
	words := strings.Fields(part)
	var names []string
	known := false
	for i := 0; i < len(words); {
		n := min(maxNameWords, len(words)-i)
		for n > 1 && !r.has(strings.Join(words[i:i+n], " ")) {
			n--
		}
		name := strings.Join(words[i:i+n], " ")
		known = known || r.has(name)
		names = append(names, name)
		i += n
	}
	if !known {
		return []string{part}
	}
	return names
}

// take adds a name unless the list already contains it.
func (r *nameReader) take(name string) {
	same := r.found[name]
	switch {
	case slices.Contains(same, name):
	case len(same) == 1:
		name = same[0]
	case len(same) > 1:
		r.Unclear[name] = same
	}
	if !r.taken[name] {
		r.taken[name] = true
		r.Names = append(r.Names, name)
	}
}

// cut splits a text, trims the pieces, and drops empty and repeated ones.
func cut(text string, between func(rune) bool) []string {
	var parts []string
	seen := map[string]bool{}
	for part := range strings.FieldsFuncSeq(text, between) {
		if part = strings.TrimSpace(part); part == "" || seen[part] {
			continue
		}
		seen[part] = true
		if parts = append(parts, part); len(parts) > MaxNames {
			break
		}
	}
	return parts
}

// runsOf returns every sequence of words that could be one name.
func runsOf(words []string) []string {
	var runs []string
	for i := range words {
		for n := 1; n <= maxNameWords && i+n <= len(words) && len(runs) <= maxNameRuns; n++ {
			runs = append(runs, strings.Join(words[i:i+n], " "))
		}
	}
	return runs
}
