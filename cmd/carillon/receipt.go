package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/carillonhq/carillon/internal/config"
	"github.com/carillonhq/carillon/internal/instance"
	"github.com/carillonhq/carillon/notifier/ask"
	"github.com/carillonhq/carillon/store"
)

type receiptCmd struct {
	Verify receiptVerifyCmd `cmd:"" help:"Check that this installation issued a receipt, and print what it proves."`
}

type receiptVerifyCmd struct {
	File string `arg:"" help:"A file with a receipt, as in the member receipt of GET /api/v1/asks/ID; - reads standard input."`
	JWKS string `name:"jwks" placeholder:"FILE" help:"Use the keys in this file, as from /api/v1/receipts/jwks.json, instead of those of this installation."`
}

// Run prints the content of a valid receipt as JSON. It fails for any other.
func (v receiptVerifyCmd) Run(ctx context.Context, cfg config.Config, c *console) error {
	text, err := readSome(v.File, c.stdin)
	if err != nil {
		return err
	}
	if v.JWKS == "" {
		return withStore(ctx, cfg, func(db *store.Store) error {
			keys, err := instance.NewReceipts(ctx, cfg, db)
			if err != nil {
				return err
			}
			return verify(keys, text, c)
		})
	}
	set, err := readSome(v.JWKS, c.stdin)
	if err != nil {
		return err
	}
	keys, err := ask.ParseReceiptKeys(set)
	if err != nil {
		return fmt.Errorf("%s: %w", v.JWKS, err)
	}
	return verify(keys, text, c)
}

func verify(keys *ask.Receipts, text []byte, c *console) error {
	_, payload, err := keys.Verify(text)
	if err != nil {
		return err
	}
	return c.result(json.RawMessage(payload), "valid: %s", payload)
}

// maxReceipt is the maximum number of bytes read. A receipt grows with the answers to its question.
const maxReceipt = 16 << 20

// readSome reads a file, or standard input for -.
func readSome(name string, stdin io.Reader) ([]byte, error) {
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer func() { _ = f.Close() }()
		stdin = f
	}
	text, err := io.ReadAll(io.LimitReader(stdin, maxReceipt))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return text, nil
}
