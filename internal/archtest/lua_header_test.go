package archtest

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// maxBody is the maximum number of code lines in a script.
const maxBody = 45

var (
	declared = regexp.MustCompile(`^-- (KEYS|ARGV)\[(\d+)(\.\.)?\] +(\w+)`)
	used     = regexp.MustCompile(`\b(KEYS|ARGV)\[(\w+)\]`)
	named    = regexp.MustCompile(`^\s*local ([\w, ]+?) = ((?:(?:tonumber\()?(?:KEYS|ARGV)\[\d+\]\)?(?:, )?)+)$`)
)

// checkHeader compares the header of a script with its body, so that readers can rely on the
// header. The header is the comment at the top:
//
//	-- verb_object.lua: what it does.
//	--
//	-- uses: find_row, save_state
//	--
//	-- KEYS[1] name  what it is
//	-- ARGV[1] name  what it is
//	-- ARGV[2..] name  any number of these
//	-- Returns …
//
// Indexes must count up from 1 without a gap, the body must use each of them and no other, a local
// that holds one must have its name, and the body must be short.
func checkHeader(src string) error {
	header, body := cutHeader(src)
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	if !regexp.MustCompile(`^-- [a-z]+(_[a-z]+)+\.lua: .`).MatchString(header) {
		fault("the first line does not read `-- verb_object.lua: what it does`")
	}
	if !strings.Contains(header, "\n-- Returns ") {
		fault("the header has no `-- Returns` line")
	}
	names, counts, open := declarations(header, fault)
	checkUses(body, names, open, fault)
	checkNames(body, names, fault)
	for slot := range names {
		if !usesSlot(body, slot, open) {
			fault("%s is in the header but not in the body", slot)
		}
	}
	for kind, n := range counts {
		for i := 1; i <= n; i++ {
			if slot := slotOf(kind, i); names[slot] == "" {
				fault("%s is missing from the header", slot)
			}
		}
	}
	if n := codeLines(body); n > maxBody {
		fault("the body has %d lines, more than %d", n, maxBody)
	}
	return errors.Join(faults...)
}

func cutHeader(src string) (header, body string) {
	lines := strings.SplitAfter(src, "\n")
	n := 0
	for n < len(lines) && strings.HasPrefix(lines[n], "--") {
		n++
	}
	return strings.Join(lines[:n], ""), strings.Join(lines[n:], "")
}

// declarations returns the name of each slot, the highest index of each kind, and for each kind the
// slot, if any, that stands for any number of values.
func declarations(header string, fault func(string, ...any)) (names map[string]string, counts map[string]int, open map[string]string) {
	names, counts, open = map[string]string{}, map[string]int{}, map[string]string{}
	for line := range strings.Lines(header) {
		m := declared.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		i, _ := strconv.Atoi(m[2])
		slot := slotOf(m[1], i)
		if names[slot] != "" {
			fault("%s is in the header twice", slot)
		}
		names[slot] = m[4]
		counts[m[1]] = max(counts[m[1]], i)
		if m[3] != "" {
			open[m[1]] = slot
		}
	}
	return names, counts, open
}

func checkUses(body string, names, open map[string]string, fault func(string, ...any)) {
	for _, m := range used.FindAllStringSubmatch(body, -1) {
		if _, err := strconv.Atoi(m[2]); err != nil {
			if open[m[1]] == "" {
				fault("%s is used, but the header has no open end", m[0])
			}
			continue
		}
		if names[m[0]] == "" {
			fault("%s is in the body but not in the header", m[0])
		}
	}
}

func checkNames(body string, names map[string]string, fault func(string, ...any)) {
	for line := range strings.Lines(body) {
		m := named.FindStringSubmatch(strings.TrimRight(line, "\n"))
		if m == nil {
			continue
		}
		locals := strings.Split(m[1], ", ")
		for i, s := range used.FindAllString(m[2], -1) {
			if i < len(locals) && names[s] != "" && locals[i] != names[s] {
				fault("%s is %s in the header and %s in the body", s, names[s], locals[i])
			}
		}
	}
}

func usesSlot(body, slot string, open map[string]string) bool {
	if kind, rest, _ := strings.Cut(slot, "["); slot == open[kind] {
		return strings.Contains(body, "= "+strings.TrimSuffix(rest, "]")+", #"+kind) || // for i = 4, #ARGV do
			regexp.MustCompile(kind+`\[[^\]]*[a-z][^\]]*\]`).MatchString(body) // KEYS[i + 2]
	}
	return strings.Contains(body, slot)
}

func codeLines(body string) int {
	n := 0
	for line := range strings.Lines(body) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "--") {
			n++
		}
	}
	return n
}

func slotOf(kind string, i int) string { return kind + "[" + strconv.Itoa(i) + "]" }
