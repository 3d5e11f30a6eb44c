package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// warehouse is the scope of the story.
const warehouse = "119240"

// tell runs the story and returns an error if a step fails.
func tell(ctx context.Context, s *server, stock *stock) error {
	say("Carillon is at %s, with the rules of examples/warehouse/rules.toml.", s.url)

	say("\n1. The subscribers of warehouse %s: bob by name, the role picker (carol and dave), and carol by name as well.", warehouse)
	for _, who := range []map[string]string{{"user": "bob"}, {"role": "picker"}, {"user": "carol"}} {
		who["type"], who["scope"] = "rep_notice", warehouse
		if _, err := s.call(ctx, http.MethodPut, "/api/v1/subscriptions", who); err != nil {
			return err
		}
		say("  PUT /api/v1/subscriptions %s", asJSON(who))
	}
	since := map[string]int64{}
	for _, user := range []string{"bob", "carol", "dave", "erin"} {
		p, err := s.poll(ctx, user, warehouse, 0)
		if err != nil {
			return err
		}
		since[user] = p.Newest // from here on, poll for new notices only
	}

	say("\n2. More is taken from A-07-3 than was there, and from a place in another warehouse.")
	if err := stock.set(ctx, "A-07-3", -3); err != nil {
		return err
	}
	if err := stock.set(ctx, "C-12-1", -1); err != nil {
		return err
	}
	for user, reason := range map[string]string{"bob": "topic:rep_notice:" + warehouse, "carol": "topic:rep_notice:" + warehouse, "dave": "role:picker"} {
		p, err := s.await(ctx, user, since[user], "A-07-3 at -3", one("A-07-3 has -3"))
		if err != nil {
			return err
		}
		if got := p.Notices[0].Reason; got != reason {
			return fmt.Errorf("%s received it for the reason %q, want %q", user, got, reason)
		}
		if user == "dave" {
			say("  dave polls: GET /api/v1/users/dave/notices?scope=%s&since=%d", warehouse, since[user])
			say("%s", indent(p.text))
		}
	}
	say("  bob, carol and dave have one notice each; erin has none.")
	if p, err := s.poll(ctx, "erin", "", since["erin"]); err != nil || len(p.Notices) > 0 {
		return fmt.Errorf("erin has %d notices, %w", len(p.Notices), err)
	}

	say("\n3. It gets worse: the same entry is updated, at the top and unread.")
	if err := stock.set(ctx, "A-07-3", -5); err != nil {
		return err
	}
	if _, err := s.await(ctx, "bob", since["bob"], "A-07-3 at -5", one("A-07-3 has -5")); err != nil {
		return err
	}
	say("  bob still has one notice: A-07-3 has -5 …")

	say("\n4. Somebody counts and corrects the stock: the notice is retracted from all of them.")
	if err := stock.set(ctx, "A-07-3", 12); err != nil {
		return err
	}
	for _, user := range []string{"bob", "carol", "dave"} {
		if _, err := s.await(ctx, user, since[user], "no notice any more", none); err != nil {
			return err
		}
	}
	say("  their polls are empty.")

	say("\n5. A location is empty. This notice expires after 8 seconds, although the location is still empty.")
	if err := stock.set(ctx, "B-02-1", 0); err != nil {
		return err
	}
	if _, err := s.await(ctx, "carol", since["carol"], "B-02-1 is empty", one("B-02-1 is empty")); err != nil {
		return err
	}
	say("  carol sees it …")
	if _, err := s.await(ctx, "carol", since["carol"], "it expires", none); err != nil {
		return err
	}
	say("  … and it is gone.")
	return nil
}

// one accepts a poll with exactly one notice whose title has this prefix.
func one(title string) func(poll) bool {
	return func(p poll) bool { return len(p.Notices) == 1 && strings.HasPrefix(p.Notices[0].Title, title) }
}

func none(p poll) bool { return len(p.Notices) == 0 }

// indent puts each element of a short XML document on its own line.
func indent(text string) string {
	text = strings.ReplaceAll(strings.TrimSpace(text), "><", ">\n<")
	text = strings.ReplaceAll(text, ">\n</", "></") // keep empty elements and end tags on their line
	return "    " + strings.ReplaceAll(text, "\n", "\n    ")
}

func asJSON(v map[string]string) string {
	text, _ := json.Marshal(v) // strings can always be encoded
	return string(text)
}
