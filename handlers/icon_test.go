package handlers_test

import (
	"math"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/carillonhq/carillon/notifier"
)

func TestRowHasTheIconAndColorThatStaffChose(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) {
		w.inbox.open = func(int64) (notifier.Page, error) {
			return notifier.Page{Entries: []notifier.Entry{typedEntry(1, "order", "user"), typedEntry(2, "like", "user")}}, nil
		}
		w.haveTypes(notifier.NoticeType{Slug: "like"}, notifier.NoticeType{Slug: "order", Icon: "truck", Color: "gray"})
	})
	r := w.get("alice", "/inbox").wantStatus(t, http.StatusOK)
	if chosen := r.page.Find(".row .avatar").First(); !chosen.HasClass("tint-gray") || !strings.HasSuffix(chosen.Find("use").AttrOr("href", ""), "#truck") {
		t.Errorf("the row of a type with a look has %q, %q", chosen.AttrOr("class", ""), chosen.Find("use").AttrOr("href", ""))
	}
	if derived := r.page.Find(".row .avatar").Last(); !strings.HasSuffix(derived.Find("use").AttrOr("href", ""), "#heart") {
		t.Errorf("the row of a type without a look has %q", derived.Find("use").AttrOr("href", ""))
	}
}

// TestEveryIconAndColorOfTypesIsVisible reads both themes' colours from the style sheet.
func TestEveryIconAndColorOfTypesIsVisible(t *testing.T) {
	t.Parallel()
	sprite, err := os.ReadFile("../static/icons/sprite.svg")
	if err != nil {
		t.Fatal(err)
	}
	for _, icon := range notifier.TypeIcons() {
		if !strings.Contains(string(sprite), `id="`+icon+`"`) {
			t.Errorf("the sprite has no %s", icon)
		}
	}
	style, err := os.ReadFile("../static/css/app.css")
	if err != nil {
		t.Fatal(err)
	}
	for _, color := range notifier.TypeColors() {
		behind := regexp.MustCompile(`--tint-`+color+`:#([0-9a-f]+)`).FindAllStringSubmatch(string(style), -1)
		before := regexp.MustCompile(`--on-tint-`+color+`:#([0-9a-f]+)`).FindAllStringSubmatch(string(style), -1)
		if len(before) < 2 || len(before) != len(behind) {
			t.Errorf("%s has %d colours on %d", color, len(before), len(behind))
			continue
		}
		for i := range before {
			// Initials are text.
			if got := contrast(t, before[i][1], behind[i][1]); got < 4.5 {
				t.Errorf("%s: #%s on #%s has a contrast of %.2f", color, before[i][1], behind[i][1], got)
			}
		}
	}
}

// contrast returns the contrast ratio of two colours as defined by WCAG.
func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	brighter, darker := luminance(t, a), luminance(t, b)
	if brighter < darker {
		brighter, darker = darker, brighter
	}
	return (brighter + 0.05) / (darker + 0.05)
}

func luminance(t *testing.T, hex string) (sum float64) {
	t.Helper()
	if len(hex) == 3 {
		hex = string([]byte{hex[0], hex[0], hex[1], hex[1], hex[2], hex[2]})
	}
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.ParseUint(hex[2*i:2*i+2], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		c := float64(n) / 255
		if c <= 0.04045 {
			sum += weight * c / 12.92
		} else {
			sum += weight * math.Pow((c+0.055)/1.055, 2.4)
		}
	}
	return sum
}
