package e2e

import (
	"fmt"
	"strings"
)

// notice is a notice that a test sends.
type notice struct{ typ, subject, title, body, link string }

// usual contains notices of an ordinary day, all with different texts.
var usual = []notice{
	{"comment", "", "Dana commented on “Harbour at dusk”", "Where was this taken? The light on the water is wonderful.", "/inbox?filter=unread"},
	{"order.late", "", "Order 4187 is late", "The parcel left Rotterdam on Tuesday and has not arrived in Lyon.", "/settings"},
	{"rep_notice", "", "Aisle 7 needs restocking", "Only 12 units of item 40-118 are left. The next delivery comes on Monday.", ""},
	{"invite", "", "Mika invites you to the spring inventory", "It begins at eight in hall 3; bring your scanner.", "/settings"},
	{"like", "", "Bob likes your photo", "", "/settings"},
	{"report", "", "The weekly report is ready", "412 orders, 3 returns, 98.2 % on time.", "/settings"},
	{"shift", "", "Your shift on Friday has changed", "It is now 14:00 to 22:00. Swap it in the plan if that does not suit you.", ""},
	{"build.failed", "", "Build 2291 of the storefront failed", "TestCheckout/vat: got 19.00, want 19.99", "/settings"},
	{"mention", "", "Priya mentioned you in “Returns policy”", "@you could you check the second paragraph before noon?", "/settings"},
	{"security", "", "A new device signed in", "Firefox on Linux, near Utrecht. If that was not you, change your password.", "/settings"},
}

// usualNotices returns n usual notices, each with its own number.
func usualNotices(n int) []notice {
	all := make([]notice, n)
	for i := range all {
		all[i] = usual[i%len(usual)]
		all[i].subject = fmt.Sprintf("thing:%d", i)
		if i >= len(usual) {
			all[i].title += fmt.Sprintf(" (%d)", i/len(usual)+1)
		}
	}
	return all
}

// hard returns notices that are difficult to lay out.
func hard() []notice {
	return []notice{
		{"comment", "hard:1", "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft", strings.Repeat("x", 300), "/settings"},
		{"comment", "hard:2", "تم تأجيل الطلب رقم 42 حتى يوم الأحد", "سنخبرك عندما يصل إلى المستودع. Order 42.", "/settings"},
		{"like", "hard:3", "👩🏽‍🚀🎉 Launch day 🚀🚀🚀", "🧡🧡🧡 See you at the pad 🧑‍🤝‍🧑", ""},
		{"report", "hard:4", strings.Repeat("A title that goes on ", 10)[:200], "Short.", "/settings"},
		{"message", "hard:5", "A long story", strings.Repeat("Once upon a time a notice was longer than it had to be. ", 72)[:4000], ""},
		{"message", "hard:6", "第七通路の在庫が残りわずかです。補充をお願いいたします", "商品40-118の残りは12個です。\n次の入荷は月曜日の予定です。\n三行目。", "/settings"},
		{"a.very.long.type.name.that.goes.on.and.on.until.it.ends.there", "hard:7", "<b>Not bold</b> & “quoted”", "<script>alert(1)</script>", ""},
	}
}
