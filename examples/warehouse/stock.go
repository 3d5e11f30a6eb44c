package main

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"

	_ "modernc.org/sqlite" // the driver
)

// stock is the business database of the warehouse system.
type stock struct{ db *sql.DB }

func openStock(ctx context.Context, file, schema string) (*stock, error) {
	text, err := os.ReadFile(schema)
	if err != nil {
		return nil, err
	}
	db, err := sql.Open("sqlite", "file:"+file+"?_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)")
	if err != nil {
		return nil, err
	}
	if _, err = db.ExecContext(ctx, string(text)); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", schema, err), db.Close())
	}
	return &stock{db}, nil
}

// set stores the number of units at a location, as the warehouse system does.
func (s *stock) set(ctx context.Context, location string, units int) error {
	done, err := s.db.ExecContext(ctx, `UPDATE stock SET units = $1 WHERE location = $2`, units, location)
	if err != nil {
		return err
	}
	if n, err := done.RowsAffected(); err != nil || n == 0 {
		return errors.Join(err, fmt.Errorf("unknown location %s", location))
	}
	say("  warehouse.db: UPDATE stock SET units = %d WHERE location = '%s'", units, location)
	return nil
}

// typed applies the lines that the user types, each `LOCATION UNITS`, until ctx ends.
func (s *stock) typed(ctx context.Context, from io.Reader) {
	lines := make(chan string)
	go func() { // ends with the program: nothing interrupts a read of the terminal
		for in := bufio.NewScanner(from); in.Scan(); {
			lines <- in.Text()
		}
	}()
	for {
		select {
		case line := <-lines:
			var location string
			var units int
			if _, err := fmt.Sscan(line, &location, &units); err != nil {
				say("Type a location and a number, such as A-07-3 -5.")
			} else if err = s.set(ctx, location, units); err != nil {
				say("%v", err)
			}
		case <-ctx.Done():
			return
		}
	}
}

func (s *stock) close() error { return s.db.Close() }
