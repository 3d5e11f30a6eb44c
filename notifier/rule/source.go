package rule

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"

	"github.com/jackc/pgx/v5"
)

// sourcePrefix begins the variables that hold the addresses of sources.
const sourcePrefix = "CARILLON_RULE_SOURCE_"

var sourcePattern = regexp.MustCompile(`\A[A-Z][A-Z0-9_]{0,62}\z`)

// source is a business database.
type source struct {
	postgres *pgx.ConnConfig // nil: a file of SQLite
	file     string
}

// source finds the address of a source, and says what is wrong with it. The address
// itself is a secret.
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

// address reads a variable of the environment, or the file that NAME_FILE names.
func (p *parser) address(name string) (string, error) {
	value, _ := p.lookup(name)
	file, _ := p.lookup(name + "_FILE")
	switch {
	case value != "" && file != "":
		return "", fmt.Errorf("%s and %s_FILE are both set: keep one", name, name)
	case value != "":
		return value, nil
	case file == "":
		return "", fmt.Errorf("%s is not set: it holds the database's address", name)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("%s_FILE: %w", name, err)
	}
	return strings.TrimSpace(string(text)), nil
}

// parseSource reads postgres://… and sqlite:PATH, also written sqlite:///PATH.
func parseSource(address string) (source, error) {
	scheme, rest, _ := strings.Cut(address, ":")
	switch scheme {
	case "postgres", "postgresql":
		cfg, err := pgx.ParseConfig(address)
		if err != nil {
			return source{}, err // pgx leaves the password out
		}
		// One statement a query, whatever the address asks for: a second one could
		// end the transaction that only reads.
		cfg.DefaultQueryExecMode = pgx.QueryExecModeExec
		if cfg.RuntimeParams["application_name"] == "" {
			cfg.RuntimeParams["application_name"] = "carillon rules"
		}
		return source{postgres: cfg}, nil
	case "sqlite":
		if file := strings.TrimPrefix(rest, "//"); file != "" {
			return source{file: file}, nil
		}
	}
	return source{}, errors.New("no address of a database: write postgres://USER@HOST/DATABASE or sqlite:FILE")
}
