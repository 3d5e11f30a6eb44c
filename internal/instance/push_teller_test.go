package instance

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/internal/links"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/push"
	"github.com/carillonhq/carillon/views/locale"
)

func TestAPushHasTheButtonsAndTheAllowedPictureOfItsNotice(t *testing.T) {
	t.Parallel()
	maker, err := links.New("https://carillon.example", [][]byte{bytes.Repeat([]byte{1}, 32)})
	if err != nil {
		t.Fatal(err)
	}
	const address = "https://cdn.example.com/a.png"
	e := notifier.Entry{NoticeID: 7, Content: notifier.Content{Extras: notifier.Extras{
		Image: &notifier.Image{URL: address, Alt: "A"}, Actions: []notifier.Action{{Label: "Review", Link: "/prs/7"}, {Label: "Later", Link: "/prs"}},
	}}}
	actions := []push.Action{
		{Action: "1", Title: "Review", Navigate: "https://carillon.example/n/7?a=1"}, {Action: "2", Title: "Later", Navigate: "https://carillon.example/n/7?a=2"},
	}
	for hosts, want := range map[string]push.Notification{"cdn.example.com": {Image: address, Actions: actions}, "other.example": {Actions: actions}} {
		var got push.Notification
		pushTeller{imageHosts: []string{hosts}}.addExtras(english(t), &got, &e, maker.For(links.Reader{Seq: 3}))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("with pictures of %s: %s", hosts, diff)
		}
	}
}

func TestThePushOfAnOpenQuestionHasItsFirstChoicesWhichOpenItsRow(t *testing.T) {
	t.Parallel()
	maker, err := links.New("https://carillon.example", [][]byte{bytes.Repeat([]byte{1}, 32)})
	if err != nil {
		t.Fatal(err)
	}
	asked := &notifier.Ask{State: notifier.AskOpen, Choices: []notifier.Choice{{ID: "yes", Label: "Yes"}, {ID: "no", Label: "No"}, {ID: "later", Label: "Later"}}}
	e := notifier.Entry{NoticeID: 7, Content: notifier.Content{Extras: notifier.Extras{Ask: asked}}}
	const row = "https://carillon.example/n/7"
	for state, want := range map[notifier.AskState][]push.Action{
		notifier.AskOpen: {{Action: "yes", Title: "Yes", Navigate: row}, {Action: "no", Title: "No", Navigate: row}}, notifier.AskAnswered: nil,
	} {
		asked.State = state
		var got push.Notification
		pushTeller{}.addExtras(english(t), &got, &e, maker.For(links.Reader{Seq: 3}))
		if diff := cmp.Diff(want, got.Actions); diff != "" {
			t.Errorf("%s: %s", state, diff)
		}
	}
}

func TestThePushOfAnOpenTaskHasTakeBeforeTheFirstButton(t *testing.T) {
	t.Parallel()
	maker, err := links.New("https://carillon.example", [][]byte{bytes.Repeat([]byte{1}, 32)})
	if err != nil {
		t.Fatal(err)
	}
	to := maker.For(links.Reader{Seq: 3})
	buttons := []notifier.Action{{Label: "Open", Link: "/a"}, {Label: "Help", Link: "/b"}}
	task := &notifier.Take{}
	e := notifier.Entry{NoticeID: 7, Content: notifier.Content{Extras: notifier.Extras{Take: task, Actions: buttons}}}
	open, help := push.Action{Action: "1", Title: "Open", Navigate: to.Action(7, 1)}, push.Action{Action: "2", Title: "Help", Navigate: to.Action(7, 2)}
	for _, want := range [][]push.Action{{{Action: "take", Title: "Take", Navigate: "https://carillon.example/n/7"}, open}, {open, help}} {
		var got push.Notification
		pushTeller{}.addExtras(english(t), &got, &e, to)
		if diff := cmp.Diff(want, got.Actions); diff != "" {
			t.Error(diff)
		}
		task.At = time.Now() // now somebody has it
	}
}

func english(t *testing.T) *locale.Printer {
	t.Helper()
	texts, err := locale.New()
	if err != nil {
		t.Fatal(err)
	}
	return texts.For("en", "")
}

func TestAPushSaysWhichAppHasSentItsNotice(t *testing.T) {
	t.Parallel()
	text := english(t)
	titled := pushTeller{apps: func(_ context.Context, name string) notifier.RowApp {
		return notifier.RowApp{Name: name, Title: "The " + name}
	}}
	for want, got := range map[string]string{
		"The shop": titled.appTitle(t.Context(), &notifier.Entry{Content: notifier.Content{App: "shop"}}), "": titled.appTitle(t.Context(), &notifier.Entry{}),
		"Sent by shop\nIt is late.": withSender(text, "It is late.", "shop"), "Sent by shop": withSender(text, "", "shop"), "It is late.": withSender(text, "It is late.", ""),
		"shop: Order 7": senderBefore("Order 7", "shop"), "Order 7": senderBefore("Order 7", ""),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
