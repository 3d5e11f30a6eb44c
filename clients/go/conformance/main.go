// Command conformance makes the calls that it reads from standard input, one JSON object a line, for the test of all clients.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"time"

	carillon "github.com/carillonhq/carillon/clients/go"
)

type call struct {
	Call string
	Args []json.RawMessage
}

func main() {
	client := carillon.New(os.Getenv("CARILLON_URL"), os.Getenv("CARILLON_API_KEY"))
	in, out := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for in.More() {
		var c call
		if err := in.Decode(&c); err != nil {
			log.Fatal(err)
		}
		result, err := c.make(context.Background(), client)
		answer := map[string]any{"result": result}
		var refused *carillon.Error
		switch {
		case errors.As(err, &refused):
			fields := []string{}
			for _, field := range refused.Problem.Errors {
				fields = append(fields, field.Location)
			}
			answer = map[string]any{"status": refused.Status, "code": refused.Problem.Code, "fields": fields}
		case errors.Is(err, carillon.ErrWebhook), errors.Is(err, carillon.ErrReceipt):
			answer = map[string]any{"invalid": true}
		case err != nil:
			answer = map[string]any{"status": 0, "code": "", "fields": []string{}}
		}
		if err := out.Encode(answer); err != nil {
			log.Fatal(err)
		}
	}
}

// arg decodes an argument, which the test always gives.
func arg[T any](c *call, i int) (to T) {
	if err := json.Unmarshal(c.Args[i], &to); err != nil {
		log.Fatalf("%s: argument %d: %v", c.Call, i, err)
	}
	return to
}

func (c *call) make(ctx context.Context, client *carillon.Client) (any, error) {
	switch c.Call {
	case "send":
		n := arg[carillon.Notice](c, 0)
		return client.Send(ctx, &n)
	case "dry_run":
		n := arg[carillon.Notice](c, 0)
		return client.DryRun(ctx, &n)
	case "send_all":
		return client.SendAll(ctx, arg[[]carillon.Notice](c, 0))
	case "notice":
		return client.Notice(ctx, arg[int64](c, 0))
	case "why":
		return client.Why(ctx, arg[int64](c, 0), arg[string](c, 1))
	case "retract":
		return nil, client.Retract(ctx, arg[int64](c, 0))
	case "ask":
		q := arg[carillon.Question](c, 0)
		return client.Ask(ctx, &q)
	case "wait":
		return client.Wait(ctx, arg[int64](c, 0))
	case "withdraw":
		return nil, client.Withdraw(ctx, arg[int64](c, 0))
	case "put_user":
		return client.PutUser(ctx, arg[string](c, 0), arg[carillon.UserChange](c, 1))
	case "user":
		return client.User(ctx, arg[string](c, 0))
	case "delete_user":
		return nil, client.DeleteUser(ctx, arg[string](c, 0))
	case "badge":
		return client.Badge(ctx, arg[string](c, 0))
	case "receipt_keys":
		return client.ReceiptKeys(ctx)
	case "user_token":
		return carillon.UserToken(arg[string](c, 0), arg[string](c, 1), arg[string](c, 2), 15*time.Minute, nil)
	case "verify_webhook":
		header := http.Header{}
		for name, value := range arg[map[string]string](c, 1) {
			header.Set(name, value)
		}
		return carillon.VerifyWebhook(header, []byte(arg[string](c, 2)), arg[[]string](c, 0)...)
	case "verify_receipt":
		keys := arg[carillon.Keys](c, 1)
		return carillon.VerifyReceipt(arg[string](c, 0), &keys)
	}
	return nil, fmt.Errorf("no call %s", c.Call)
}
