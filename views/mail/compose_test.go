package mail_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/internal/links"
	sending "github.com/carillonhq/carillon/internal/mail"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views/locale"
	"github.com/carillonhq/carillon/views/mail"
)

var update = flag.Bool("update", false, "write the letters in testdata")

const base = "https://notices.example.com/app"

func composer(t *testing.T) *mail.Composer {
	t.Helper()
	texts, err := locale.New()
	if err != nil {
		t.Fatal(err)
	}
	return mail.NewComposer(texts, "notices.example.com")
}

// linked are the links of a user who can sign in here.
func linked(token string) links.Links { return maker().For(links.Reader{Seq: 7, Token: token}) }

func maker() *links.Maker {
	m, err := links.New(base, [][]byte{bytes.Repeat([]byte{7}, 32)})
	if err != nil {
		panic(err)
	}
	return m
}

func compose(t *testing.T, d mail.Digest) sending.Letter {
	t.Helper()
	l, err := composer(t).Compose(t.Context(), &d)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// entries returns rows, newest first.
func entries(titles ...string) []notifier.Entry {
	var all []notifier.Entry
	for i, title := range titles {
		at := time.Date(2026, 3, 1, 23, 30-i, 0, 0, time.UTC)
		all = append(all, notifier.Entry{
			Key: fmt.Sprintf("order:%d", i), NoticeID: int64(100 - i), At: at.UnixMilli(),
			Content: notifier.Content{Type: "order", Title: title, Body: "Only 12 units are left.\nThe next delivery comes on Monday.", CreatedAt: at},
		})
	}
	return all
}

func digest(locale string, titles ...string) mail.Digest {
	all := entries(titles...)
	return mail.Digest{
		To: "alice@example.com", Name: "alice", Locale: locale, Zone: time.FixedZone("", 9*60*60), Links: linked("tok-EN_1"), Target: 42,
		Upto: all[0].At, Wait: 30 * time.Minute, Total: len(all), Entries: all,
	}
}

// samples are titles and bodies.
var samples = map[string][3][2]string{
	"en": {
		{"Aisle 7 needs restocking", "Only 12 units of item 40-118 are left.\nThe next delivery comes on Monday."},
		{"Order 1042 has left the warehouse", ""},
		{"Ann answered your question about “Fog over the canal”", "I took it at six in the morning, from the second bridge."},
	},
	"ja": {
		{"7番通路の補充が必要です", "商品40-118の残りは12個です。\n次の入荷は月曜日です。"}, {"注文1042を出荷しました", ""}, {"安藤さんが「霧の運河」についての質問に回答しました", "朝6時に、二つ目の橋から撮りました。"},
	},
	"zh-Hans": {
		{"7 号通道需要补货", "商品 40-118 仅剩 12 件。\n下一批货周一送达。"}, {"订单 1042 已出库", ""}, {"小安回答了您关于《运河之雾》的问题", "早上六点在第二座桥上拍的。"},
	},
	"zh-Hant": {
		{"7 號走道需要補貨", "商品 40-118 只剩 12 件。\n下一批貨將於星期一送達。"}, {"訂單 1042 已出貨", ""}, {"小安回答了你關於《運河之霧》的問題", "早上六點在第二座橋上拍的。"},
	},
}

func TestLettersInEachLanguage(t *testing.T) {
	t.Parallel()
	for lang, rows := range samples {
		several, single := digest(lang, rows[0][0], rows[1][0], rows[2][0]), digest(lang, rows[2][0]+" <b>&amp;")
		several.Daily, several.Total = true, 5
		for i := range rows {
			several.Entries[i].Body = rows[i][1]
		}
		single.Entries[0].Body = rows[2][1]
		app := digest(lang, rows[0][0], rows[1][0])
		app.Links = maker().For(links.Reader{Seq: 7, Away: true, Token: "tok-EN_1"})
		sentBy(&app, map[int64]string{100: "warehouse", 99: "warehouse"})
		rich := digest(lang, rows[2][0])
		rich.Entries[0].Extras = notifier.Extras{
			Actor:   &notifier.RowActor{ID: "u7", Name: "Ann Bell", Image: "https://cdn.example.com/a.png"},
			Image:   &notifier.Image{URL: "https://cdn.example.com/canal.jpg", Alt: "A bridge in the <fog>"},
			Actions: []notifier.Action{{Label: "Answer", Link: "/a", Style: notifier.StylePrimary}, {Label: "Thank", Link: "/t", Style: notifier.StylePlain}},
		}
		apps := digest(lang, rows[0][0], rows[1][0], rows[2][0])
		sentBy(&apps, map[int64]string{100: "warehouse", 98: "blog"})
		for name, d := range map[string]mail.Digest{"single": single, "several": several, "app": app, "apps": apps, "rich": rich} {
			l := compose(t, d)
			golden(t, name+"."+lang+".txt", "Subject: "+l.Subject+"\n\n"+l.Text)
			golden(t, name+"."+lang+".html", l.HTML+"\n")
		}
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (go test ./views/mail -update writes it):\n%s", name, diff)
	}
}

func TestALetterIsNamedByItsNewestRowAndItsTarget(t *testing.T) {
	t.Parallel()
	d := digest("en", "Aisle 7")
	one := compose(t, d)
	if want := fmt.Sprintf("%d.42@notices.example.com", d.Upto); one.ID != want || one.ListID != "carillon.notices.example.com" || one.Unsubscribe != base+"/u/tok-EN_1" || one.Locale != "en" {
		t.Errorf("%+v, want the id %s", one, want)
	}
	d.Urgent, d.Wait = true, time.Hour
	if urgent := compose(t, d); urgent.ID != fmt.Sprintf("%d.42@notices.example.com", d.Upto) || !strings.Contains(urgent.Text, "urgent") {
		t.Errorf("the urgent one is %s", urgent.ID)
	}
	again, other, another := digest("en", "Aisle 7, once more"), digest("en", "Aisle 7"), digest("en", "Aisle 7")
	other.Target, another.Entries[0].Key = 43, "order:other"
	if r := compose(t, again).References; len(r) != 1 || r[0] != one.References[0] {
		t.Errorf("letters of one key are in the threads %q and %q", one.References, r)
	}
	for _, d := range []mail.Digest{other, another} {
		if r := compose(t, d).References; r[0] == one.References[0] {
			t.Errorf("%+v is in the same thread", d)
		}
	}
	if several := compose(t, digest("en", "a", "b")); len(several.References) != 0 || several.Subject != "2 unread notifications: a" {
		t.Errorf("several: %+v", several)
	}
}

func TestALetterHasAtMostTwentyRowsAndShortBodies(t *testing.T) {
	t.Parallel()
	titles := make([]string, 32)
	for i := range titles {
		titles[i] = fmt.Sprintf("Notice %d", i)
	}
	d := digest("en", titles...)
	for i := range d.Entries {
		d.Entries[i].Body = strings.Repeat("長い文", notifier.MaxBody/3)
	}
	l := compose(t, d)
	page := document(t, l.HTML)
	if got := page.Find("h2").Length(); got != mail.MaxRows || !strings.Contains(l.Text, "\nand 12 more\n") || !strings.Contains(l.HTML, "and 12 more") || strings.Contains(l.Text, "Notice 20") {
		t.Errorf("%d rows, and then: %.200q", got, l.Text[len(l.Text)-300:])
	}
	if len(l.HTML) > 100_000 || !strings.Contains(l.Text, "文…") {
		t.Errorf("%d bytes of HTML", len(l.HTML))
	}
	whole := digest("en", "Aisle 7")
	whole.Entries[0].Body = strings.Repeat("長", notifier.MaxBody)
	if !strings.Contains(compose(t, whole).Text, whole.Entries[0].Body) {
		t.Error("a single notice is cut off")
	}
}

func TestALetterLoadsNothingAndLinksOnlyToUs(t *testing.T) {
	t.Parallel()
	evil := `"><script>alert(1)</script><img src=https://eve.example/p.gif>`
	d := digest("en", evil, evil)
	d.Name, d.Links, d.Locale = evil, linked("../"+evil), evil
	for i := range d.Entries {
		d.Entries[i].Body, d.Entries[i].Link = evil, "javascript:alert(1)"
	}
	l := compose(t, d)
	page := document(t, l.HTML)
	if n := page.Find("script, img, link, iframe, object, form, svg, base, meta[http-equiv], [src], [background], [onclick]").Length(); n > 0 || strings.Contains(l.HTML, "url(") || strings.Contains(l.HTML, "@import") {
		t.Errorf("%d elements that load or run something: %s", n, l.HTML)
	}
	page.Find("a").Each(func(_ int, a *goquery.Selection) {
		if href := a.AttrOr("href", ""); !strings.HasPrefix(href, base+"/") {
			t.Errorf("a link leads to %q", href)
		}
	})
	if got := page.Find("h2").First().Text(); got != evil {
		t.Errorf("the title reads %q", got)
	}
}

// sentBy names the apps that have sent notices, by their ids.
func sentBy(d *mail.Digest, apps map[int64]string) {
	for i := range d.Entries {
		d.Entries[i].App = apps[d.Entries[i].NoticeID]
	}
}

func TestALetterNamesTheAppsThatHaveSentItsRows(t *testing.T) {
	t.Parallel()
	const shop, blog = "Sent by shop", "Sent by blog"
	for name, test := range map[string]struct {
		senders    map[int64]string
		more       int
		shop, blog int // how often they are named
	}{
		"nobody":           {},
		"one app":          {senders: map[int64]string{100: "shop", 99: "shop"}, shop: 1},
		"one app and more": {senders: map[int64]string{100: "shop", 99: "shop"}, more: 1, shop: 2},
		"two apps":         {senders: map[int64]string{100: "shop", 99: "blog"}, shop: 1, blog: 1},
		"an app and staff": {senders: map[int64]string{99: "blog"}, blog: 1},
		"another notice's": {senders: map[int64]string{1: "blog"}},
	} {
		d := digest("en", "Aisle 7", "Aisle 8")
		d.Total = 2 + test.more
		sentBy(&d, test.senders)
		l := compose(t, d)
		for _, form := range []string{l.Text, l.HTML} {
			if strings.Count(form, shop) != test.shop || strings.Count(form, blog) != test.blog || strings.Count(form, "Sent by") != test.shop+test.blog {
				t.Errorf("%s: %s", name, form)
			}
		}
	}
	titled := digest("en", "Aisle 7")
	titled.App = func(name string) string { return "The " + name }
	sentBy(&titled, map[int64]string{100: "shop"})
	if l := compose(t, titled); !strings.Contains(l.Text, "Sent by The shop") || !strings.Contains(l.HTML, "Sent by The shop") {
		t.Errorf("an app with a title: %s", l.Text)
	}
	evil := digest("en", "Aisle 7")
	sentBy(&evil, map[int64]string{100: "<b>shop</b>"})
	if l := compose(t, evil); strings.Contains(l.HTML, "<b>") || !strings.Contains(l.Text, "Sent by <b>shop</b>\n") {
		t.Errorf("%s", l.HTML)
	}
}

func TestALetterAboutNothingIsAnError(t *testing.T) {
	t.Parallel()
	if l, err := composer(t).Compose(t.Context(), &mail.Digest{To: "alice@example.com"}); err == nil {
		t.Errorf("%+v", l)
	}
}

func document(t *testing.T, html string) *goquery.Document {
	t.Helper()
	page, err := goquery.NewDocumentFromReader(strings.NewReader(html))
	if err != nil {
		t.Fatal(err)
	}
	return page
}
