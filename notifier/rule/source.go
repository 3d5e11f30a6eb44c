package rule

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/carillonhq/carillon/internal/address"
)

// sourcePrefix is the prefix of the variables that contain the addresses of sources.
const sourcePrefix = "CARILLON_RULE_SOURCE_"

var sourcePattern = regexp.MustCompile(`\A[A-Z][A-Z0-9_]{0,62}\z`)

// source is a business database.
type source struct {
	postgres *pgx.ConnConfig // nil: an SQLite file
	file     string
}

// source reads the address of a source, or adds a fault. The address is a secret and must not
// appear in the fault.
func (p *parser) source(name string, t *fields) source {
	if name == "" {
		return source{}
	}
	if !sourcePattern.MatchString(name) || strings.HasSuffix(name, "_FILE") {
		t.fault("source", "use A-Z, 0-9 and _, as in WAREHOUSE")
		return source{}
	}
	if s, known := p.sources[name]; known {
		return s
	}
	address, err := p.address(sourcePrefix + name)
	if err == nil {
		var s source
		if s, err = parseSource(address); err == nil {
			p.sources[name] = s
			return s
		}
		err = fmt.Errorf("%s%s: %w", sourcePrefix, name, err)
	}
	t.fault("source", err.Error())
	return source{}
}

// address reads an environment variable, or the file named by NAME_FILE.
func (p *parser) address(name string) (string, error) {
	value, _ := p.lookup(name)
	file, _ := p.lookup(name + "_FILE")
	switch {
	case value != "" && file != "":
		return "", fmt.Errorf("%s and %s_FILE are both set; set only one", name, name)
	case value != "":
		return value, nil
	case file == "":
		return "", fmt.Errorf("%s is not set; set it to the address of the database", name)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("%s_FILE: %w", name, err)
	}
	return strings.TrimSpace(string(text)), nil
}

// parseSource parses postgres://… and sqlite:PATH, also written as sqlite:///PATH.
func parseSource(raw string) (source, error) {
	scheme, rest, _ := strings.Cut(raw, ":")
	switch scheme {
	case "postgres", "postgresql":
		if err := address.Check(raw); err != nil {
			return source{}, err
		}
		cfg, err := pgx.ParseConfig(raw)
		if err != nil {
			return source{}, err // pgx removes the password
		}
		// One statement per query, whatever the address requests: a second statement could end the
		// read-only transaction.
		cfg.DefaultQueryExecMode = pgx.QueryExecModeExec
		if cfg.RuntimeParams["application_name"] == "" {
			cfg.RuntimeParams["application_name"] = "carillon rules"
		}
		if cfg.DefaultQueryExecMode == pgx.QueryExecModeCacheStatement {
			cfg.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe // each connection describes a statement once, and may pass through a pooler
		}
		return source{postgres: cfg}, nil
	case "sqlite":
		if file := strings.TrimPrefix(rest, "//"); file != "" {
			return source{file: file}, nil
		}
	}
	return source{}, errors.New("not a database address; use postgres://USER@HOST/DATABASE or sqlite:FILE")
}
